# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run machine code on fenced arrays: `python -m support.fenced_calls end permuted fingers`.

Arrays are fenced at their `end` or `begin`; what follows are names in ROBOTS. Each quantity is
named before it runs. So the last line names the one that ended the process.
"""

import copy
import faulthandler
import inspect
import sys

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.parallel_rows import SMALLEST
from robodyn_ros.codegen.registry import FRAME_RECIPES, RECIPES
from robodyn_ros.compile import generic, kernel
from robodyn_ros.control import law_class
from robodyn_ros.errors import ModelError
from robodyn_ros.robot.dispatch import PLACES, method_of
from robodyn_ros.simulation import Plant, PlantSettings
from robodyn_ros.simulation.integrators.names import METHODS
from robodyn_ros.spatial.types import Integer, Vector
from support.calls import arguments
from support.fence import Fence
from support.robots.families import FAMILIES, MIXED, states
from support.robots.fingers import GRIPPER
from support.robots.real_robots import robot as known

#: Lengths of batches: fewer rows than registers have lanes, as many, more, and enough to share.
ROWS = (None, 1, 3, 7, 8, 9, 17, 2 * SMALLEST + 3)

ROBOTS = {
    'permuted': lambda: FAMILIES['permuted'].robot,
    'mixed_tree': lambda: MIXED['mixed_tree'].robot,
    'specialised': lambda: known('two_link').robot,
    'fingers': lambda: Robot.from_urdf(GRIPPER),
}


@kernel
def entry(x: Vector, i: Integer):
    """Return an entry, without a look at the length."""
    return int(x[i])


def say(*words):
    """Name what runs next."""
    print(*words, flush=True)


def drawn(robot):
    """Return positions, rates, and two further vectors of joint space for the longest batch."""
    q, qd, qdd = map(np.array, zip(*states(robot, ROWS[-1])))
    return q, qd, qdd, qd


def run_kernels(robot):
    """Run every kernel by both of its calls; all arrays are fenced, also those of the robot."""
    for each in generic.ALL:
        for call in (each.compiled, each.vectorcall):
            say(robot.name, 'kernel', each.name)
            call(*arguments(robot, each).values())


def run_methods(robot, every, rows):
    """Run every method that a kernel serves: one state and batches, wrenches, given results.

    every : q, qd, qdd and a further vector for each row.
    """
    frame = robot.frames[-1]
    for name, recipe in (RECIPES | DERIVATIVES | FRAME_RECIPES).items():
        method = method_of(robot, name) if name in PLACES or hasattr(robot, name) else None
        if method is None:
            continue
        options = inspect.signature(method).parameters
        for k in rows:
            say(type(robot).__name__, robot.name, method.__name__, 'rows', k)
            given = [each[0] if k is None else each[:k] for each in every[: len(recipe.inputs)]]
            given = [each.copy() for each in given]
            of_frame = (frame,) if name in FRAME_RECIPES else ()
            found = None
            for _ in range(3):  # by Python, by machine code, and in an array that was kept
                found = method(*given, *of_frame)
            if 'out' in options:
                method(*given, *of_frame, out=np.empty(found.shape))
            if 'f_ext' in options:
                method(*given, f_ext={frame: np.ones((*given[0].shape[:-1], 6))})


def run_plants(robot):
    """Step a plant by every scheme, and roll out several."""
    q, qd, _ = states(robot, 1)[0]
    for name in METHODS:
        say(type(robot).__name__, robot.name, 'plant', name)
        try:
            plant = Plant(robot, PlantSettings(integrator=name), q, 0.1 * qd)
        except ModelError:
            continue
        for _ in range(3):
            plant.step(np.ones(robot.nv), 1e-3)
    plant = Plant(robot)
    for k in ROWS[1:-1]:
        say(type(robot).__name__, robot.name, 'rollouts of', k)
        starts = np.tile(q, (k, 1)), np.tile(0.1 * qd, (k, 1))
        plant.rollout(*starts, np.zeros((4, robot.nv)), 1e-3)
        if robot.nq == robot.nv:
            law, gains = law_class('computed_torque')(robot), np.ones((2, robot.nv))
            targets = np.zeros((4, 3, robot.nv))
            plant.rollout(*starts, np.zeros((4, robot.nv)), 1e-3, gains, targets, law)


def step_over(at_the_end):
    """Read the last entry of an array at the fence, then the next one."""
    entry.compiled  # noqa: B018  now, since the compiler makes many arrays
    Fence(at_the_end=at_the_end).install()
    x = np.ones(7)
    say('within')
    entry(x, 6 if at_the_end else 0)
    say('beyond')
    entry(x, 7 if at_the_end else -8)


def run_all(at_the_end, names):
    """Run everything on some robots, whose arrays are fenced, too."""
    robots = [(name, robot, drawn(robot)) for name, robot in ((n, ROBOTS[n]()) for n in names)]
    Fence(at_the_end=at_the_end).install()
    for name, robot, every in robots:
        robot = Robot(copy.deepcopy(robot.model))
        if name == 'specialised':
            robot = robot.specialised([robot.frames[-1]])
        elif name != 'fingers':
            run_kernels(robot)
        # Batches of dependent joints need kernels that nothing else compiles.
        run_methods(robot, every, ROWS[:1] if name == 'fingers' else ROWS)
        run_plants(robot)


def main(where, *names):
    """Run all, or with 'beyond' only step over the fence."""
    faulthandler.enable()
    if names == ('beyond',):
        step_over(where == 'end')
    else:
        run_all(where == 'end', names)


if __name__ == '__main__':
    main(*sys.argv[1:])
