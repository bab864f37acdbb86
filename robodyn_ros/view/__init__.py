# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot in three dimensions, on a page in the browser, by viser.

page.py is the page, drawing.py and scene.py its picture. playback.py and postures.py move the
robot. May import: model, control.reference, identification.
"""
