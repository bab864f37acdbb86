# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""SHA-256 of the recordings for some robots: a property of the robot, not of the machine.

    python -m tools.recordings > test/codegen/recordings.sha256
    python -m tools.recordings --check

It needs neither pytest nor ROS, so that it runs wherever NumPy and Numba do. Robots of the package
example-robot-data are used if it is installed, or by `--robots-of FOLDER`.
"""

import argparse
import hashlib
from dataclasses import replace
from functools import partial
from importlib import metadata
from pathlib import Path

import numpy as np

from robodyn_ros.codegen import emit_python
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import FRAME_RECIPES, FURTHER_RECIPES, RECIPES
from robodyn_ros.codegen.specialise import final_recording
from robodyn_ros.errors import ModelError
from robodyn_ros.model import build, urdf
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.description import Placement
from robodyn_ros.model.extended.flexible_links import FlexibleLink, with_flexible_links
from robodyn_ros.model.rotation_matrix import from_rpy
from robodyn_ros.model.rotors import Rotor
from robodyn_ros.robot.loops.closing import close_loops
from tools.pages import reference_arms

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / 'test' / 'codegen' / 'recordings.sha256'
FILES = (
    *sorted((ROOT / 'config' / 'urdf').glob('*.urdf')),
    ROOT / 'test' / 'nodes' / 'two_hands.urdf',
)
#: Its loops are also in the YAML file beside it, but reading that needs a package.
PALLETIZER = ROOT / 'config' / 'mechanisms' / 'palletizer.urdf'
PINS = {
    'drive': ('drive_rod', (1.0, 0.0, 0.0), 'forearm', (-0.3, 0.15, 0.0)),
    'level': ('level_rod', (1.0, 0.0, 0.0), 'corner', (-0.15, -0.12, 0.2)),
    'second_level': ('second_rod', (0.9, 0.0, 0.0), 'plate', (0.12, -0.12, 0.2)),
}
#: The loops are open there. So Newton's method finds the closed posture, with rounding errors.
NEAR = {
    'shoulder': 1.6,
    'crank': -0.2,
    'drive_rod': 1.7,
    'elbow': -1.7,
    'level_rod': 1.5,
    'corner': -1.55,
    'second_rod': -0.2,
    'plate': 0.2,
}
#: Along no axis of a frame; nor are the beam and its axes of bending below.
SKEW = (0.3, -0.5, 0.8)
ROTORS = {f'joint{k}': Rotor(1e-4 * k, 50.0 + k, across=1e-5 * k) for k in range(1, 6)}
BOOM = FlexibleLink(
    end=(0.3, 0.1, 0.2), bending=(300.0, 250.0), torsion=90.0, pieces=2, gyration=0.02
)
#: Descriptions by the makers, with rounded angles, from PACKAGE. setup.py pins its version.
MAKERS = (
    'ur_description/urdf/ur5_robot.urdf',
    'xarm_description/urdf/xarm7.urdf',
    'allegro_hand_description/urdf/allegro_left_hand.urdf',
)
PACKAGE = 'example-robot-data'


def load(path):
    """Return the model of a URDF file."""
    return build.build(urdf.parse(path))


def palletizer():
    """Return the model of a robot with three loops."""
    turn = from_rpy(np.pi / 2, 0.0, 0.0)
    closures = [
        Closure(name, a, b, 'hinge', None, *(Placement(turn, np.array(p)) for p in (at_a, at_b)))
        for name, (a, at_a, b, at_b) in PINS.items()
    ]
    tree = build.build(urdf.parse(PALLETIZER), in_loops=True)
    return close_loops(tree, closures, ('shoulder', 'crank'), NEAR)


def geared():
    """Return the model of an arm with rotors as bodies."""
    described = reference_arms.general_description(5)
    joints = [replace(joint, axis=np.array(SKEW)) for joint in described.joints]
    return build.build(replace(described, joints=tuple(joints), rotors=ROTORS))


def boom():
    """Return the model of an arm with a link that bends and twists."""
    model = reference_arms.general_arm(3)
    return with_flexible_links(model, {model.body_names[2]: BOOM})


def installed():
    """Return the folder of the robots of PACKAGE; None if it is not installed."""
    try:
        files = metadata.files(PACKAGE)
    except metadata.PackageNotFoundError:
        return None
    first = next(file for file in files if str(file).endswith(MAKERS[0]))
    return first.locate().resolve().parents[2]


def robots(folder):
    """Return {name: function that builds the model}; those of MAKERS only with a folder."""
    ours = {str(path.relative_to(ROOT)): partial(load, path) for path in FILES}
    arms = {
        'general_6R': partial(reference_arms.general_arm, 6),
        'Stanford-like': reference_arms.stanford_arm,
        'Puma-like': reference_arms.puma_arm,
        'general_5R_with_rotors': geared,
        'general_3R_with_a_flexible_link': boom,
        str(PALLETIZER.relative_to(ROOT)): palletizer,
    }
    makers = {name: partial(load, Path(folder) / name) for name in MAKERS if folder}
    return ours | arms | makers


ROBOTS = robots(installed())


def digest(model):
    """Return the SHA-256 of all functions recorded for a robot, with its last frame.

    Only the code of the functions counts, without the names of variables. Functions that a robot
    with dependent joints does not have are left out.
    """
    sums = hashlib.sha256()
    for name, recipe in (RECIPES | FURTHER_RECIPES | FRAME_RECIPES | DERIVATIVES).items():
        frame = tuple(model.frames)[-1] if name in FRAME_RECIPES else None
        try:
            recording = final_recording(name, recipe, model, frame)
        except ModelError:
            if not model.is_embedded:
                raise
            continue
        recording.tape.names.clear()
        function = emit_python.write(recording).partition('\ndef ')[2].partition('\n\n\n')[0]
        sums.update(function.encode())
    return sums.hexdigest()


def read(path):
    """Return {robot: SHA-256} of a page of checksums."""
    return {name: sums for sums, name in map(str.split, Path(path).read_text().splitlines())}


def main():
    """Print the checksums of all robots, or compare them with the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        '--check',
        action='store_true',
        help=f'compare with {PAGE.name}; exit code 1 if one differs',
    )
    parser.add_argument(
        '--robots-of', metavar='FOLDER', default=installed(), help=f'the robots of {PACKAGE}'
    )
    options = parser.parse_args()
    expected, wrong = read(PAGE), 0
    if options.robots_of is None:
        print(f'{PACKAGE} is not installed: its {len(MAKERS)} robots are left out')
    for name, build_model in robots(options.robots_of).items():
        found = digest(build_model())
        if not options.check:
            print(f'{found}  {name}', flush=True)
        elif found == expected[name]:
            print(f'{name}: as expected', flush=True)
        else:
            print(f'{name}: recorded SHA-256 {found}; expected {expected[name]}', flush=True)
            wrong += 1
    return int(wrong > 0)


if __name__ == '__main__':
    raise SystemExit(main())
