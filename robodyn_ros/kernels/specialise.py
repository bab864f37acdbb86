"""Recording the recursions of one robot, and compiling what was recorded."""
import hashlib
import importlib.util
import inspect
import os
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robodyn_ros.kernels import cache, source
from robodyn_ros.kernels.compile import Kernel
from robodyn_ros.kernels.normalise import align, regroup
from robodyn_ros.kernels.tape import Recorded, Tape, count
from robodyn_ros.recursions import (
    aba, coriolis, crba, energy, gravity, jacobian, kinematics, mass_solve, operational_space, rnea)
from robodyn_ros.recursions import scratch as columns


@dataclass(frozen=True)
class Recipe:
    """Which recursion to record, and the shapes of its inputs and outputs.

    Sizes are numbers or 'nv'. regrouped : whether the results survive moving inertias between
    bodies (`normalise.regroup`).
    """

    recursion: Callable
    inputs: dict[str, tuple[int | str, ...]]
    outputs: dict[str, tuple[int | str, ...]]
    regrouped: bool = True


VECTOR, SQUARE = ('nv',), ('nv', 'nv')
POSITION, MOTION = {'q': VECTOR}, {'q': VECTOR, 'qd': VECTOR}

RECIPES = {
    'inverse_dynamics': Recipe(rnea.inverse_dynamics, MOTION | {'qdd': VECTOR}, {'tau': VECTOR}),
    'bias_torque': Recipe(rnea.bias_torque, MOTION, {'tau': VECTOR}),
    'gravity_torque': Recipe(gravity.gravity_torque, POSITION, {'tau': VECTOR}),
    'mass_matrix': Recipe(crba.mass_matrix, POSITION, {'M': SQUARE}),
    'mass_matrix_inverse': Recipe(
        mass_solve.mass_matrix_inverse, POSITION, {'inverse': SQUARE}),
    'mass_solve': Recipe(mass_solve.mass_solve, POSITION | {'b': VECTOR}, {'x': VECTOR}),
    'forward_dynamics': Recipe(aba.forward_dynamics, MOTION | {'tau': VECTOR}, {'qdd': VECTOR}),
    'coriolis_matrix': Recipe(coriolis.coriolis_matrix, MOTION, {'C': SQUARE}),
    'energy': Recipe(energy.energy, MOTION, {'energies': (2,)}, regrouped=False),
}

FRAME_RECIPES = {
    'pose': Recipe(kinematics.pose, POSITION, {'X': (4, 4)}),
    'velocity': Recipe(kinematics.velocity, MOTION, {'V_0F': (6,)}),
    'jacobian': Recipe(jacobian.jacobian, POSITION, {'J': (6, 'nv')}),
    'jacobian_bias': Recipe(jacobian.jacobian_bias, MOTION, {'bias': (6,)}),
    'operational_space': Recipe(operational_space.operational_space, POSITION,
                                {'J': (6, 'nv'), 'compliance': (6, 6)}),
}


@dataclass(frozen=True)
class Recording:
    """What one recursion does for one robot: a tape, and where its results go.

    inputs, outputs : shape of each argument. results : what to store, by its text, 'tau[0]'.
    """

    name: str
    title: str
    origin: str
    tape: Tape
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    results: dict[str, Recorded | float]

    def needed(self):
        """Node numbers of the results and of the checks."""
        nodes = [value.index for value in self.results.values() if isinstance(value, Recorded)]
        return nodes + [index for index, _ in self.tape.checks]

    def counts(self):
        """Multiplications, additions, divisions and trigonometric functions of one call."""
        return count(self.tape, self.needed())


class Notebook:
    """Scratch memory that names what is written into it, and refuses to be read before."""

    _starts = sorted((number, name.lower()) for name, number in vars(columns).items()
                     if name.isupper() and isinstance(number, int) and name != 'WIDTH')

    def __init__(self, tape, shape):
        self.shape = shape
        self._tape = tape
        self._entries = {}

    def __getitem__(self, place):
        return self._entries[place]

    def __setitem__(self, place, value):
        self._entries[place] = value
        if isinstance(value, Recorded) and value.index not in self._tape.names:
            if self._tape.nodes[value.index][0] != 'input':
                body, column = place
                start, name = max(item for item in self._starts if item[0] <= column)
                # the same entry may be rewritten, as a sum grows: the node number keeps names apart
                self._tape.names[value.index] = f'{name}_{body}_{column - start}_{value.index}'


def record(name, recipe, model, frame=None):
    """Run a recursion once on recording scalars, with the constants of one robot.

    frame : name of the frame, for a recipe of FRAME_RECIPES. Returns a Recording.
    """
    normal = regroup(align(model)) if recipe.regrouped else align(model)
    tape, nb = Tape(), len(model.body_names)
    inputs, outputs = ({name: tuple(model.nv if size == 'nv' else size for size in shape)
                        for name, shape in shapes.items()}
                       for shapes in (recipe.inputs, recipe.outputs))
    given = {'topology': normal.topology, 'constants': normal.constants.astype(object),
             'gravity': normal.gravity.astype(object),
             'scratch': Notebook(tape, (nb, columns.WIDTH)), 'f_ext': _zeros((nb, 6)),
             'diagonal': _zeros(model.nv), 'zero': _zeros(model.nv)}
    if frame is not None:
        place = normal.frame(frame)
        flat = np.concatenate((np.ravel(place.rotation), place.translation))
        given |= {'body': place.body, 'frame': flat.astype(object)}
    for argument, shape in inputs.items():
        given[argument] = _zeros(shape)
        for place in np.ndindex(shape):
            given[argument][place] = tape.input(_entry(argument, place))
    for argument, shape in outputs.items():
        given[argument] = _zeros(shape)
    recipe.recursion(**{p: given[p] for p in inspect.signature(recipe.recursion).parameters})
    results = {_entry(argument, place): given[argument][place]
               for argument, shape in outputs.items() for place in np.ndindex(shape)}
    where = f' at frame {frame}' if frame else ''
    return Recording(name, f'{name} of robot {model.name}{where}.',
                     recipe.recursion.__module__.removeprefix('robodyn_ros.'), tape,
                     inputs, outputs, results)


def specialise(model, name, recipe, frame=None):
    """Return the Kernel of one recursion for one robot.

    It takes the inputs of the recipe, then its outputs, and returns a status (see
    robodyn_ros.kernels.source.write). Its text is in the kernel cache, named after the robot.
    """
    text = source.write(record(name, recipe, model, frame))
    stem = '_'.join(part for part in (model.name, name, frame) if part)
    return Kernel(_imported(re.sub(r'\W', '_', stem), name, text))


def _zeros(shape):
    return np.full(shape, 0.0, dtype=object)


def _entry(argument, place):
    return f'{argument}[{", ".join(map(str, place))}]'


def _imported(stem, function, text):
    """The function of a generated module, imported from the cache folder where there is one."""
    stem = f'{stem}_{hashlib.sha256(text.encode()).hexdigest()[:16]}'
    folder = cache.folder(__file__)
    if folder is None:
        namespace = {'__name__': f'robodyn_specialised_{stem}'}
        exec(compile(text, f'<{stem}>', 'exec'), namespace)
        return namespace[function]
    path = folder / f'{stem}.py'
    if not path.exists() or path.read_text() != text:
        with tempfile.NamedTemporaryFile('w', dir=folder, suffix='.part', delete=False) as file:
            file.write(text)
        os.replace(file.name, path)  # another process may write the same text at the same time
    spec = importlib.util.spec_from_file_location(f'robodyn_specialised_{stem}', path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # numba looks the module up when it loads machine code
    spec.loader.exec_module(module)
    return getattr(module, function)
