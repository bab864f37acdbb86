# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""No kernel allocates: numba's run-time counts the same before and after a hundred calls."""

SCRIPT = """
import json
import numpy as np
from numba.core.runtime import rtsys
from support.calls import arguments
from support.robots.families import FAMILIES
from support.robots.real_robots import robot as known
from robodyn_ros.compile import generic, kernel
from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.spatial.types import Scalar, Vector

@kernel
def allocating(x: Vector) -> Scalar:
    return np.empty(x.shape[0]).shape[0] + x.copy()[0]

def count(one, called):
    one(*called)
    before = rtsys.get_allocation_stats()
    for _ in range(100):
        one(*called)
    after = rtsys.get_allocation_stats()
    return after.alloc - before.alloc, after.alloc - after.free - (before.alloc - before.free)

robot = FAMILIES['permuted'].robot
counts = {one.name: count(one.compiled, [*arguments(robot, one).values()]) for one in generic.ALL}
counts['test.allocating'] = count(allocating.compiled, [np.ones(3)])

arm, q = known('two_link').robot, np.array([-0.5, 0.8])
below = arm.pose(q, 'tool0')[:3, 3] - [0.0, 0.0, 0.1]
floor = Obstacle.plane(point=below, friction=0.5)
contacts = Contacts([sphere('tool0', 0.1)], [floor])
plant = Plant(arm, PlantSettings(no_command='free'), q, contacts=contacts)
state = *plant._arrays, 1e-3, *plant._options
counts['step in contact'] = count(plant._step, state)
assert [touch.force[2] > 1.0 for touch in plant.contacts] == [True]
print(json.dumps(counts))
"""


def test_kernels_do_not_allocate(python):
    """Nor does a step of the plant, while its arm lies on a floor.

    The kernel of another package may: it has two arrays here, and a handle for the one passed in.
    """
    counts, _ = python(SCRIPT, NUMBA_NRT_STATS='1')
    assert len(counts) > 11
    assert counts.pop('test.allocating') == [300, 0]
    for name, (allocated, left) in counts.items():
        assert allocated == left == 0, f'{name} allocates'
