# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of parameters into the pages of the nodes, from the declarations.

python -m tools.pages.parameter_tables
"""

from dataclasses import replace
from pathlib import Path

from robodyn_ros.control.laws.adaptive import AdaptiveComputedTorque
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.elastic_joint import ElasticJointLaw
from robodyn_ros.control.laws.floating_base import FloatingBaseComputedTorque
from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.control.laws.operational_space import OperationalSpace
from robodyn_ros.control.laws.underactuated import UnderactuatedComputedTorque
from robodyn_ros.control.laws.underactuated_task import UnderactuatedOperationalSpace
from robodyn_ros.ros.common.lifecycle_node import NODE_PARAMETERS
from robodyn_ros.ros.common.parameter_table import markdown_table
from robodyn_ros.ros.controller.controller_parameters import (
    CONTROLLER_PARAMETERS,
    gain_parameters,
    own_parameters,
)
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from tools.pages.markdown import renewed, table

BY_LAW = 'by law'
PAGES = Path(__file__).resolve().parents[2] / 'doc' / 'nodes'

TABLES = {
    'controller': (
        *NODE_PARAMETERS,
        *CONTROLLER_PARAMETERS,
        *(
            replace(spec, unit=BY_LAW, default=BY_LAW)
            for spec in gain_parameters(('<joint>',), ComputedTorque)
        ),
        *own_parameters(AdaptiveComputedTorque),
        *own_parameters(OperationalSpace),
        *own_parameters(UnderactuatedComputedTorque),
        *own_parameters(UnderactuatedOperationalSpace),
        *own_parameters(ElasticJointLaw),
        *own_parameters(FloatingBaseComputedTorque),
    ),
    'simulator': (*NODE_PARAMETERS, *SIMULATOR_PARAMETERS),
}


def page_of(node):
    """Return the page of a node, one of TABLES."""
    return PAGES / f'{node}.md'


def gains_by_law():
    """Return a table of the gains that each built-in law has, with units and defaults."""
    rows = []
    for name, law in BUILT_IN.items():
        cells = [
            f'`{spec.default:g}` {spec.unit}{"" if spec.default else ", to be set"}'
            if spec.unit
            else '-'
            for spec in gain_parameters(('',), law)
        ]
        rows.append((f'`{name}`', *cells))
    return table(('`law`', '`gains.<joint>.p`', '`gains.<joint>.d`'), rows, numbers=False)


def documented(text, node):
    """Return the text of a page with the current table of parameters of a node."""
    if node == 'controller':
        text = renewed(text, '<!-- gains by law -->', gains_by_law())
    parameters = markdown_table(TABLES[node]).replace(f'`{BY_LAW!r}`', BY_LAW)
    return renewed(text, f'<!-- parameters of the {node} -->', parameters)


def main():
    """Rewrite the tables in the pages of both nodes."""
    for node in TABLES:
        path = page_of(node)
        path.write_text(documented(path.read_text(), node))


if __name__ == '__main__':
    main()
