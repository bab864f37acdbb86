"""Recording the recursions of one robot, and compiling what was recorded."""
import hashlib
import importlib.util
import inspect
import linecache
import re
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robodyn_ros.kernels import cache, source
from robodyn_ros.kernels.compile import Kernel
from robodyn_ros.kernels.normalise import align, clean, normal_form, regroup
from robodyn_ros.kernels.tape import Recorded, Tape, count
from robodyn_ros.model.layout import PARENT
from robodyn_ros.recursions import (
    aba, composite, coriolis, coupled_compliance, crba, energy, full_rank, gravity, jacobian,
    joint_wrenches, kinematics, mass_factors, mass_matrix_inverse, mass_product, mass_solve,
    momentum, operational_space, rnea)
from robodyn_ros.recursions import scratch as columns

#: Operations beyond which straight-line code takes tens of seconds to compile, and no longer fits
#: the processor's caches: a loop serves as well.
LARGEST = 45_000
SEAL = '\n# sha256 '  # of the text before it


@dataclass(frozen=True)
class Recipe:
    """Which recursion to record, and the shapes of its inputs and outputs.

    Sizes are numbers, 'nq' or 'nv'. regrouped : whether the results survive moving inertias
    between bodies (`normalise.regroup`). others : recursions with the same result; the one that
    takes the fewest operations for the robot is compiled. recorder : what makes the Recording, if
    not `record`.
    """

    recursion: Callable
    inputs: dict[str, tuple[int | str, ...]]
    outputs: dict[str, tuple[int | str, ...]]
    regrouped: bool = True
    others: tuple[Callable, ...] = ()
    recorder: Callable | None = None


VECTOR, SQUARE = ('nv',), ('nv', 'nv')
POSITION = {'q': ('nq',)}
MOTION = POSITION | {'qd': VECTOR}

RECIPES = {
    'inverse_dynamics': Recipe(rnea.inverse_dynamics, MOTION | {'qdd': VECTOR}, {'tau': VECTOR}),
    'bias_torque': Recipe(rnea.bias_torque, MOTION, {'tau': VECTOR}),
    'gravity_torque': Recipe(gravity.gravity_torque, POSITION, {'tau': VECTOR}),
    'mass_matrix': Recipe(crba.mass_matrix, POSITION, {'M': SQUARE}),
    'mass_matrix_inverse': Recipe(
        mass_matrix_inverse.mass_matrix_inverse, POSITION, {'inverse': SQUARE},
        others=(composite.mass_matrix_inverse,)),
    'mass_solve': Recipe(mass_solve.mass_solve, POSITION | {'b': VECTOR}, {'x': VECTOR},
                         others=(composite.mass_solve,)),
    'forward_dynamics': Recipe(aba.forward_dynamics, MOTION | {'tau': VECTOR}, {'qdd': VECTOR},
                               others=(composite.forward_dynamics,)),
    'coriolis_matrix': Recipe(coriolis.coriolis_matrix, MOTION, {'C': SQUARE}),
    'energy': Recipe(energy.energy, MOTION, {'energies': (2,)}, regrouped=False),
}

#: What is specialised where `also` asks for it.
FURTHER_RECIPES = {
    'joint_wrenches': Recipe(joint_wrenches.joint_wrenches, MOTION | {'qdd': VECTOR},
                             {'wrenches': ('nv', 6)}, regrouped=False),
    'centre_of_mass': Recipe(momentum.centre_of_mass, POSITION, {'com': (3,)}, regrouped=False),
    'centroidal_momentum': Recipe(
        momentum.centroidal_momentum, MOTION, {'h': (6,)}, regrouped=False),
    'centroidal_momentum_matrix': Recipe(
        momentum.centroidal_momentum_matrix, POSITION, {'A': (6, 'nv')}, regrouped=False),
    'centroidal_momentum_bias': Recipe(
        momentum.centroidal_momentum_bias, MOTION, {'bias': (6,)}, regrouped=False),
    'mass_product': Recipe(mass_product.mass_product, POSITION | {'x': VECTOR}, {'y': VECTOR}),
    'mass_matrix_diagonal': Recipe(
        mass_product.mass_matrix_diagonal, POSITION, {'entries': VECTOR}),
    'hinge_inertias': Recipe(mass_factors.hinge_inertias, POSITION, {'D': VECTOR},
                             others=(composite.hinge_inertias,)),
    'mass_matrix_factors': Recipe(mass_factors.mass_factors, POSITION, {'F': SQUARE, 'D': VECTOR},
                                  others=(composite.mass_factors,)),
}

FRAME_RECIPES = {
    'pose': Recipe(kinematics.pose, POSITION, {'X': (4, 4)}),
    'velocity': Recipe(kinematics.velocity, MOTION, {'V_0F': (6,)}),
    'jacobian': Recipe(jacobian.jacobian, POSITION, {'J': (6, 'nv')}),
    'jacobian_bias': Recipe(jacobian.jacobian_bias, MOTION, {'bias': (6,)}),
    'operational_space': Recipe(operational_space.operational_space, POSITION,
                                {'J': (6, 'nv'), 'compliance': (6, 6)},
                                others=(composite.operational_space,)),
    'operational_space_inertia': Recipe(
        full_rank.by_compliances, POSITION,
        {'J': (6, 'nv'), 'compliance': (6, 6), 'inertia': (6, 6)},
        others=(full_rank.by_mass_matrix,)),
}


@dataclass(frozen=True)
class Recording:
    """What one recursion does for one robot: a tape, and where its results go.

    inputs, outputs : shape of each argument. results : what to store, by its text, 'tau[0]'.
    singular : a pivot is no number but zero, whatever the state.
    """

    name: str
    title: str
    origin: str
    tape: Tape
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    results: dict[str, Recorded | float]
    singular: bool = False

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
        if isinstance(value, Recorded):
            turned = value.positive
            self._name(place, *((value, '') if turned is None else (turned, 'minus_')))

    def _name(self, place, value, sign):
        if value.index in self._tape.names or self._tape.nodes[value.index][0] == 'input':
            return
        body, column = place
        start, name = max(item for item in self._starts if item[0] <= column)
        # the same entry may be rewritten, as a sum grows: the node number keeps names apart
        self._tape.names[value.index] = f'{sign}{name}_{body}_{column - start}_{value.index}'


def record(name, recipe, model, frame=None):
    """Run a recursion once on recording scalars, with the constants of one robot in normal form.

    frame : name of the frame, for a recipe of FRAME_RECIPES. Returns a Recording.
    """
    forms = [normal_form(model, recipe.regrouped)]
    if frame is not None:  # frames that are turned, and what is asked of them is not
        forms.append(regroup(clean(model)) if recipe.regrouped else clean(model))
    return min((record_as_is(name, recipe, form, frame) for form in forms), key=_length)


def frame_recipes(model, frame):
    """The recipes that make sense for a frame: its operational-space inertia where six hinges
    or more carry it, else what leads to it; for a tuple of frames, what couples them.
    """
    if not isinstance(frame, str):
        size = 6 * len(frame)
        return {'coupled_compliance': Recipe(
            coupled_compliance.coupled_compliance, POSITION,
            {'J': (size, 'nv'), 'compliance': (size, size)})}
    hinges, body = 0, model.frame(frame).body
    while body > 0:
        hinges, body = hinges + 1, model.topology[body, PARENT]
    other = 'operational_space' if hinges >= 6 else 'operational_space_inertia'
    return {name: recipe for name, recipe in FRAME_RECIPES.items() if name != other}


def counts(model, name, frame=None):
    """Operations of one quantity after each step of the normal form, {step: {kind: number}}:
    'as described', 'cleaned', 'aligned', 'regrouped' and 'compiled', the way that is taken.
    """
    recipe = (RECIPES | FURTHER_RECIPES | FRAME_RECIPES)[name]
    models = {'as described': model, 'cleaned': clean(model)}
    models['aligned'] = align(models['cleaned'])
    models['regrouped'] = regroup(models['aligned']) if recipe.regrouped else models['aligned']
    found = {step: record_as_is(name, recipe, form, frame).counts()
             for step, form in models.items()}
    return found | {'compiled': record(name, recipe, model, frame).counts()}


def record_as_is(name, recipe, model, frame=None):
    """Record without bringing the model into its normal form first."""
    ways = [_record(name, recipe, recursion, model, frame)
            for recursion in (recipe.recursion, *recipe.others)]
    return min(ways, key=_length)


def _length(recording):
    return sum(recording.counts().values())


def _record(name, recipe, recursion, model, frame):
    tape = Tape()
    inputs, outputs = (sizes(shapes, model) for shapes in (recipe.inputs, recipe.outputs))
    given = {argument: recorded_input(tape, argument, shape) for argument, shape in inputs.items()}
    results = {argument: zeros(shape) for argument, shape in outputs.items()}
    if frame is not None:
        bodies, placements = placed(model, frame)
        given |= {'bodies': bodies, 'frames': placements.astype(object), 'body': int(bodies[0]),
                  'frame': placements[0].astype(object)}
    status = play(recursion, model, tape, **given, **results)
    where = f' at frame {label(frame)}' if frame else ''
    return Recording(name, f'{name} of robot {model.name}{where}.', origin(recursion), tape,
                     inputs, outputs, stored(results), bool(status))


def placed(model, frame):
    """Bodies (m,), and rotations and translations (m, 12), of a frame or of a tuple of them."""
    places = [model.frame(name) for name in ((frame,) if isinstance(frame, str) else frame)]
    return (np.array([place.body for place in places]),
            np.array([[*np.ravel(place.rotation), *place.translation] for place in places]))


def label(frame):
    """A frame or a tuple of them in words, '' for None."""
    return frame if isinstance(frame, str) else ', '.join(frame or ())


def play(recursion, model, tape, **given):
    """Run a recursion on recording scalars: its arguments by name, those of the model and zeros
    for the rest; return its status.
    """
    nb, nv = len(model.body_names), model.nv
    carried, links = model.link_placements()
    known = {'topology': model.topology, 'constants': model.constants.astype(object),
             'gravity': model.gravity.astype(object),
             'scratch': Notebook(tape, (nb, columns.WIDTH)), 'f_ext': zeros((nb, 6)),
             'diagonal': zeros(nv), 'zero': zeros(nv), 'M': zeros((nv, nv)), 'F': zeros((nv, nv)),
             'tau': zeros(nv), 'com': zeros(3), 'carried': carried, 'links': links.astype(object),
             'bias': zeros(nv), 'work': zeros((6, nv)), 'factor': zeros((6, 6))}
    known |= given
    return recursion(**{name: known[name] for name in inspect.signature(recursion).parameters})


def sizes(shapes, model):
    """Shapes of a recipe in numbers."""
    known = {'nq': model.nq, 'nv': model.nv}
    return {name: tuple(known.get(size, size) for size in shape)
            for name, shape in shapes.items()}


def recorded_input(tape, argument, shape):
    """An array of inputs of the tape."""
    array = zeros(shape)
    for place in np.ndindex(shape):
        array[place] = tape.input(_entry(argument, place))
    return array


def stored(results):
    """Entries of arrays by their text."""
    return {_entry(argument, place): array[place] for argument, array in results.items()
            for place in np.ndindex(array.shape)}


def origin(recursion):
    """The module a recursion is from, as people write it."""
    return recursion.__module__.removeprefix('robodyn_ros.')


def zeros(shape):
    """An array that can hold recording scalars."""
    return np.full(shape, 0.0, dtype=object)


def _entry(argument, place):
    return f'{argument}[{", ".join(map(str, place))}]'


@dataclass(frozen=True)
class Specialised:
    """The two kernels of one recursion for one robot; both take its inputs, then its outputs.

    one : for one state; returns a status, see robodyn_ros.kernels.source.write. rows : for states
    `first` to `last`, a multiple of LANES, in arrays with one axis more in front; returns last, or
    the first row of a block that it refused, and leaves other threads running.
    """

    one: Kernel
    rows: Kernel


def specialise(model, name, recipe, frame=None):
    """Return the Specialised kernels of one recursion for one robot, not yet compiled; None where
    they would take more than LARGEST operations.

    Their text is in the kernel cache, named after the robot; where it is there already, nothing is
    recorded.
    """
    what = ' '.join(part for part in (model.name, name, label(frame)) if part)
    shapes = recipe.inputs, recipe.outputs, recipe.regrouped
    key = hashlib.sha256(repr((what, name, frame, origin(recipe.recursion), shapes)).encode())
    for numbers in (model.topology, model.constants, model.gravity):
        key.update(numbers.tobytes())
    if frame is not None:
        for numbers in placed(model, frame):
            key.update(numbers.tobytes())
    stem = f'{re.sub(r"[^a-zA-Z0-9]", "_", what)[:100]}_{key.hexdigest()[:16]}'

    def text():
        recording = (recipe.recorder or record)(name, recipe, model, frame)
        small = sum(recording.counts().values()) <= LARGEST
        return source.write(recording) if small else source.refuse(recording)

    module = imported(stem, text)
    if module.one is None:
        return None
    # the text has its order of operations, and numba's fastmath would break the rounding of angles
    return Specialised(Kernel(module.one, what, fastmath=False),
                       Kernel(module.rows, f'{what} of batches', fastmath=False, nogil=True))


def imported(stem, write):
    """The module of a generated text, from the cache folder where there is one."""
    name, folder = f'robodyn_specialised_{stem}', cache.folder(__file__)
    path = None if folder is None else folder / f'{stem}.py'
    if path is None or not _whole(path):
        text = write()
        if path is None or not cache.keep(path, f'{text}{SEAL}{_digest(text)}\n'):
            return _in_memory(name, f'<{stem}>', text)
        linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba looks the module up when it loads machine code
    spec.loader.exec_module(module)
    return module


def _in_memory(name, path, text):
    """The module of a text that is kept nowhere else."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, path, 'exec'), vars(module))
    return module


def _whole(path):
    """Whether a text is there as it was written."""
    try:
        text, _, digest = path.read_text().rpartition(SEAL)
    except (OSError, ValueError):
        return False
    return digest.strip() == _digest(text)


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()
