# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Validate the arguments of a robot's methods, so that kernels may trust them."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.algorithms.constraints.closed_positions import NEAR
from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.codegen.parallel_rows import parallel_for
from robodyn_ros.compile import batch_loops, embedded, generic, state_checks
from robodyn_ros.compile.vectorcall.method import apart
from robodyn_ros.errors import ModelError, NotFiniteError, ShapeError, SingularityError
from robodyn_ros.model.layout import BALL_X, KIND, Q, V
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotation_matrix import SHORTEST
from robodyn_ros.robot.dispatch import generic_case, install
from robodyn_ros.robot.robot_view import SERVES, PublicNames, View, public_names, unknown

if TYPE_CHECKING:
    from robodyn_ros.compile.kernel import Kernel

#: Kernels that need no inertia.
KINEMATICS = {
    generic.pose,
    generic.velocity,
    generic.jacobian,
    generic.jacobian_bias,
    generic.jacobian_derivative,
    generic.frame_poses,
    generic.inverse_kinematics,
    generic.link_motions,
    generic.apply_wrench,
    generic.torque_of_wrench,
    generic.integrate,
    generic.difference,
}


class CheckedModel(PublicNames):
    """A model with working memory, and the checks of arguments for the kernels.

    Raises ShapeError: from its methods, for a wrong shape or type, or a value that is not finite.
      The message names the joint, the frame or the expected shape.
    Raises SingularityError: from its methods, at a singular pivot; the message names the body.
    """

    def __init__(self, model: RobotModel) -> None:
        if not isinstance(model, RobotModel):
            raise ModelError(
                f'got {reprlib.repr(model)} for the model of a robot; expected a '
                'RobotModel. Robot.from_urdf(text_or_path) reads a URDF'
            )
        self.model = model
        self.name = model.name
        self.joint_names, self.position_names = model.joint_names, model.position_names
        self.all_joint_names = model.all_joint_names
        self.all_position_names = model.all_position_names
        self.nq, self.nv = model.nq, model.nv
        self.limits = model.limits
        self.report = model.report
        embedded.prepare(model)
        self._work = working_memory.allocate(model.topology)
        self._body = (model.topology, model.constants, self._work)
        self._weighted = (model.topology, model.constants, model.gravity, self._work)
        self._links = model.link_placements()
        self._no_wrench = np.zeros((len(model.body_names), 6))
        self._zero = np.zeros(model.nv)
        self._placements: dict[Any, tuple[Any, np.ndarray]] = {}
        self._cases: dict[str, Any] = {}  # {method: its cases}, see robodyn_ros.robot.dispatch
        self._rows_kept: dict[Any, Any] = {}
        self._restarts: dict[Any, Any] = {}  # of inverse kinematics
        self._quaternions = model.quaternions.tolist()
        self._all_quaternions = model.topology[model.topology[:, KIND] == BALL_X, Q].tolist()
        for name, kind in self._views().items():
            setattr(self, name, kind(cast(Any, self), name))
        install(self)
        self._is_made = True

    def _views(self) -> dict[str, type[View]]:
        """Return the classes of the views, {name: class}."""
        return {}

    @property
    def gravity(self) -> np.ndarray:
        """Acceleration of gravity [m/s^2] in base axes, (3,), read-only."""
        return self.model.gravity

    def __setattr__(self, name: str, value: Any) -> None:
        if '_is_made' in vars(self) and not name.startswith('_'):
            serves = SERVES.get(name, 'a new robot from a changed description')
            raise AttributeError(
                f'robot {self.name!r} does not change, so {name!r} cannot be set; expected '
                f'{serves}'
            )
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        calls = [*public_names(type(self)), *vars(self)]
        for view, kind in self._views().items():
            calls += [f'{view}.{call}' for call in public_names(kind)]
        raise unknown(f'robot {vars(self).get("name", "")!r}', name, calls)

    def __repr__(self) -> str:
        names = self.joint_names
        if len(names) > 8:
            names = *names[:4], '...', names[-1]
        positions = '' if self.nq == self.nv else f'nq = {self.nq}, '
        return (
            f'<{type(self).__name__} {self.name!r}, {positions}nv = {self.nv}: {", ".join(names)}>'
        )

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return type(self), (self.model,)  # a copy has working memory of its own

    def _case(self, name: str, frame: str | None = None) -> Any:
        """Return the case of a method's machine code, see robodyn_ros.robot.dispatch."""
        return generic_case(self, name, frame)

    def _kernel(self, kernel: Kernel) -> Any:
        """Return the kernel of `generic`, or its embedded version if joints depend on others.

        Of a robot whose links move without inertia it is one of KINEMATICS, or refused.
        """
        if kernel not in KINEMATICS:
            self.model.require_dynamics()
        if not self.model.is_embedded:
            return kernel
        if kernel.python in embedded.DERIVATIVES:
            embedded.prepare(self.model, for_derivatives=True)
        found = embedded.kernel_of(kernel)
        if found is None:
            raise ModelError(
                f'robot {self.name!r} has joints that depend on others, and no '
                f'{kernel.python.__name__} for them; expected them locked, or another quantity'
            )
        return found

    def _states(
        self, *arrays: ArrayLike, out: Any = None, independent: bool = False
    ) -> tuple[Any, int | None]:
        """Return float64 C-contiguous states, q (nq,) and the others (nv,), and k.

        A batch has an axis of length k in front; k is None for a single state. One state beside a
        batch is repeated. States in the memory of `out` are copied. Unless only independent
        positions are expected, q of a robot with closed loops may have those of all joints.
        """
        lengths = [self.nq]
        if self.model.has_loops and not independent:
            lengths.append(len(self.all_position_names))
        try:
            for length in lengths:
                if len(arrays) <= 3 and state_checks.ALL[len(arrays) - 1].vectorcall(
                    length, self.nv, *arrays
                ):
                    self._refuse_lost_turns(arrays[0])
                    return apart(out, arrays), None
        except Exception:
            pass  # Numba refuses other types with unclear errors: convert, or explain
        checked = spread([self._floats(array) for array in arrays])
        batch, wrong = checked[0].shape[:-1], len(checked[0].shape) not in (1, 2)
        wrong = wrong or checked[0].shape[-1] not in lengths
        if wrong or any(a.shape != (*batch, self.nv) for a in checked[1:]):
            raise self._wrong_shapes(checked, lengths)
        for place, array in enumerate(checked):
            if not np.isfinite(array).all():
                names = self.joint_names if place else self._names_of(array)
                bad = np.argwhere(~np.isfinite(array))[0]
                row = f', row {bad[0]}' if batch else ''
                raise NotFiniteError(
                    f'robot {self.name!r}: got {array[tuple(bad)]} for joint '
                    f'{names[bad[-1]]!r} (state {place + 1} of {len(checked)}{row}); expected '
                    'finite numbers'
                )
        self._refuse_lost_turns(checked[0])
        return apart(out, checked), batch[0] if batch else None

    def _names_of(self, q: np.ndarray) -> tuple[str, ...]:
        """Return the names of positions, of independent or of all joints."""
        return self.position_names if q.shape[-1] == self.nq else self.all_position_names

    def _wrong_shapes(
        self, arrays: Sequence[np.ndarray], lengths: Sequence[int] = ()
    ) -> ShapeError:
        shapes = ', '.join(str(a.shape) for a in arrays)
        q, v = f'({self.nq},) or (k, {self.nq})', f'({self.nv},) or (k, {self.nv})'
        if self.nq == self.nv:
            expected = f'{v} each, in the order {", ".join(self.joint_names)}'
        else:
            expected = (
                f'{q} for q, in the order {", ".join(self.position_names)}, and {v} for '
                f'all else, in the order {", ".join(self.joint_names)}'
            )
        if len(lengths) > 1:
            expected += (
                f'; or ({lengths[1]},) or (k, {lengths[1]}) for q with the positions of all '
                f'joints, in the order {", ".join(self.all_position_names)}'
            )
        return ShapeError(
            f'robot {self.name!r}: got states of shape {shapes}{self._misfit(arrays)}; expected '
            f'{expected}'
        )

    def _misfit(self, arrays: Sequence[np.ndarray]) -> str:
        """Return which state has the wrong length, and at which joint; '' if none has."""
        for place, array in enumerate(arrays):
            names = self.joint_names if place else self.position_names
            found, wanted = array.shape[-1] if array.ndim else 0, len(names)
            if array.ndim and 0 < found < wanted:
                return f' (state {place + 1} ends before joint {names[found]!r})'
            if array.ndim and found > wanted > 0:
                return f' (state {place + 1} goes on after joint {names[-1]!r})'
        return ''

    def _refuse_lost_turns(self, q: Any) -> None:
        """Refuse a quaternion of length zero; any other is normalised."""
        places = self._quaternions if q.shape[-1] == self.nq else self._all_quaternions
        for k in places:
            turns = q[..., k : k + 4]
            least = (
                turns @ turns
                if q.ndim == 1
                else np.min(np.einsum('ij,ij->i', turns, turns), initial=np.inf)
            )
            if least < SHORTEST * SHORTEST:
                names = ', '.join(self._names_of(q)[k : k + 4])
                raise ShapeError(
                    f'robot {self.name!r}: got a quaternion of length '
                    f'{np.sqrt(least):.3g} for {names}; expected a unit quaternion'
                )

    def _floats(self, value: ArrayLike) -> np.ndarray:
        """Return a float64, C-contiguous, aligned, writable array, copied only where needed."""
        try:
            array = np.array(None) if np.ma.is_masked(value) else np.asarray(value)
        except ValueError:  # rows of unequal length
            array = np.array(None)
        if array.dtype.kind not in 'fiub':
            raise ShapeError(
                f'robot {self.name!r}: got {reprlib.repr(value)}; expected an array '
                'of real numbers'
            )
        array = np.asarray(array, dtype=np.float64, order='C')
        return array if array.flags.carray else array.copy()

    def _out(self, out: np.ndarray | None, k: int | None, shape: tuple[int, ...]) -> np.ndarray:
        """Return the caller's result array, checked, or a new one."""
        shape = shape if k is None else (k, *shape)
        if out is None:
            return np.empty(shape)
        if not (
            isinstance(out, np.ndarray)
            and out.shape == shape
            and out.dtype == np.float64
            and out.flags.carray
        ):
            raise ShapeError(
                f'robot {self.name!r}: got {_described(out)} for out; expected a '
                f'writable, C-contiguous array of float64 and of shape {shape}'
            )
        return out

    def _placement(self, name: str) -> tuple[int, np.ndarray]:
        """Return (body, (12,) rotation and translation) of a frame."""
        if not isinstance(name, str) or name not in self._placements:
            frame = self.model.frame(name)
            flat = np.concatenate((np.ravel(frame.rotation), frame.translation))
            flat.flags.writeable = False
            self._placements[name] = (frame.body, flat)
        return self._placements[name]

    def _placed(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return (m,) bodies and (m, 12) rotations and translations of frames."""
        if names not in self._placements:
            placed = [self._placement(name) for name in names]
            stacked = (
                np.array([body for body, _ in placed], np.int64),
                np.reshape([frame for _, frame in placed], (-1, 12)),
            )
            for array in stacked:
                array.flags.writeable = False
            self._placements[names] = stacked
        return self._placements[names]

    def _wrenches(
        self, q: Any, k: int | None, f_ext: Mapping[str, ArrayLike] | None
    ) -> tuple[np.ndarray, ...]:
        """Return the argument f_ext of kernels.

        For one state these are the (nb, 6) wrenches on the bodies in their own frames. For a batch
        it is the result of `_placed_wrenches`.
        """
        if k is not None:
            return self._placed_wrenches(k, f_ext)
        if f_ext is None:
            return (self._no_wrench,)
        pushes = np.zeros(self._no_wrench.shape)
        for name, given in self._mapping(f_ext).items():
            self._kernel(generic.apply_wrench).vectorcall(
                *self._body, q, *self._placement(name), self._wrench(name, given, k), pushes
            )
        return (pushes,)

    def _mapping(self, f_ext: Mapping[str, ArrayLike]) -> Mapping[str, ArrayLike]:
        """Return wrenches by the names of their frames."""
        if not isinstance(f_ext, Mapping):
            raise ShapeError(
                f'f_ext of robot {self.name!r}: got {f_ext!r}; expected '
                '{frame name: six numbers}'
            )
        return f_ext

    def _wrench(self, name: str, value: Any, k: int | None) -> np.ndarray:
        """Return a float64 wrench (6,) on a frame, or one for each of k states."""
        try:
            if state_checks.one.vectorcall(6, 6, value):
                checked: np.ndarray = value
                return checked
        except Exception:
            pass  # as for states
        wrench = self._floats(value)
        if wrench.shape not in ((6,), (k, 6)) or not np.isfinite(wrench).all():
            kind = ShapeError if np.isfinite(wrench).all() else NotFiniteError
            each_row = '' if k is None else f', or ({k}, 6), one row for each state'
            raise kind(
                f'f_ext on frame {name!r} of robot {self.name!r}: got '
                f'{value!r}; expected six finite numbers, force [N] then moment '
                f'[N m], in base axes{each_row}'
            )
        return wrench

    def _placed_wrenches(
        self, k: int | None, f_ext: Mapping[str, ArrayLike] | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (m,) bodies, (m, 12) placements, and (1, m, 6) or (k, m, 6) wrenches."""
        f_ext = self._mapping({} if f_ext is None else f_ext)
        given_rows = [self._wrench(name, given, k).reshape(-1, 6) for name, given in f_ext.items()]
        count = max(map(len, given_rows), default=1)
        wrenches = np.empty((count, len(given_rows), 6))
        for j, wrench in enumerate(given_rows):
            wrenches[:, j] = wrench
        return *self._placed(tuple(f_ext)), wrenches

    def _run(self, kernel: Kernel, k: int | None, *arguments: Any) -> None:
        """Run a generic kernel on one state, or its parallel loop on a batch.

        Raises SingularityError at a singular pivot.
        """
        kernel = self._kernel(kernel)
        if k is None:
            status = kernel.vectorcall(*arguments)
        else:
            loop = batch_loops.of(kernel).compiled
            status = next(
                filter(None, parallel_for(k, lambda first, last: loop(*arguments, first, last))), 0
            )
        if status and not (self.model.has_loops and np.isnan(arguments[-1]).any()):
            raise SingularityError(
                f'robot {self.name!r}: the mass matrix is singular at body '
                f'{self.model.body_names[status]!r}; expected mass, inertia or rotor inertia '
                'about its joint axis'
            )
        self._refuse_open(arguments[-1])

    def _refuse_open(self, results: np.ndarray) -> None:
        """Refuse results of postures in which loops cannot be closed; these are NaN."""
        if self.model.has_loops and np.isnan(results).any():
            names = [
                self.all_joint_names[self.model.topology[row, V]]
                for row in self.model.led_by_loops
            ]
            raise SingularityError(
                f'robot {self.name!r}: closed loops do not determine the joints '
                f'{", ".join(names)} there: they cannot be closed, or are singular on the way; '
                'expected a posture within reach. Given positions of all joints are at most '
                f'{NEAR} rad or m from closed ones'
            )


def of_row(wrench: Any, row: int) -> Any:
    """Return the wrench of one state of a batch, or the one for all.

    `wrench` ((6,) or (k, 6) array_like): force and moment [N, N m].
    `row`: number of the state.
    """
    return wrench[row] if np.ndim(wrench) == 2 else wrench


def spread(arrays: Sequence[Any]) -> Sequence[Any]:
    """Repeat single states of a batch of k: (n,) becomes (k, n).

    `arrays` (sequence of ndarray): states, one or k of each.
    """
    batches = {len(array) for array in arrays if array.ndim == 2}
    if len(batches) != 1:
        return arrays
    (k,) = batches
    return [np.tile(array, (k, 1)) if array.ndim == 1 else array for array in arrays]


def _described(out: object) -> str:
    """Return why an array cannot hold the results."""
    if not isinstance(out, np.ndarray):
        return f'a {type(out).__name__}'
    flags = out.flags
    return (
        'an array of '
        + ''.join(
            word
            for word, fits in (
                ('read-only ', flags.writeable),
                ('scattered ', flags.c_contiguous),
                ('unaligned ', flags.aligned),
            )
            if not fits
        )
        + f'{out.dtype} and of shape {out.shape}'
    )
