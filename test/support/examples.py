# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The files of examples/, as modules."""

import importlib.util
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / 'examples'


def load(name):
    """Return an example as a new module."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f'{name}.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
