# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
pytest_plugins = ['robodyn_ros.testing.fixtures']
