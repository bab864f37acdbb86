"""The same face over code for one robot alone: a quick way in, and the careful one behind it."""
import numpy as np

from robodyn_ros.kernels.compile import warm_up
from robodyn_ros.kernels.specialise import FRAME_RECIPES, RECIPES, specialise
from robodyn_ros.robot import Robot


def _quick(name, shape):
    """A method that tries the specialised kernel on one state, then the method of Robot."""
    careful = getattr(Robot, name)

    def of_position(self, q, out=None):
        result = np.empty(shape(self)) if out is None else out
        try:
            if self.quick[name](q, result) == 0:
                return result
        except TypeError:
            pass  # not a float64 array: the careful way converts or explains
        return careful(self, q, out)

    def of_pair(self, q, second, out=None):
        result = np.empty(shape(self)) if out is None else out
        try:
            if self.quick[name](q, second, result) == 0:
                return result
        except TypeError:
            pass
        return careful(self, q, second, out)

    method = of_position if len(RECIPES[name].inputs) == 1 else of_pair
    method.__name__, method.__doc__ = name, careful.__doc__
    return method


def _quick_at_frame(name, shape):
    """The same for a quantity of a frame; frames that were not asked for take the careful way."""
    careful = getattr(Robot, name)

    def of_position(self, q, frame, out=None):
        result = np.empty(shape(self)) if out is None else out
        try:
            if self.quick[name, frame](q, result) == 0:
                return result
        except (KeyError, TypeError):
            pass
        return careful(self, q, frame, out)

    def of_motion(self, q, qd, frame, out=None):
        result = np.empty(shape(self)) if out is None else out
        try:
            if self.quick[name, frame](q, qd, result) == 0:
                return result
        except (KeyError, TypeError):
            pass
        return careful(self, q, qd, frame, out)

    method = of_position if len(FRAME_RECIPES[name].inputs) == 1 else of_motion
    method.__name__, method.__doc__ = name, careful.__doc__
    return method


def _vector(self):
    return self.nv


def _square(self):
    return self.nv, self.nv


class SpecialisedRobot(Robot):
    """A Robot whose recursions are straight-line code with its numbers in it.

    One state in float64 arrays goes straight to that code, which checks shapes and finiteness
    itself. Anything else (lists, batches, wrenches, mistakes, singular pivots) takes the path of
    Robot, with the same results and the same sentences.

    model : RobotModel. frames : names of the frames whose pose, velocity, Jacobian and
    operational-space inertia are specialised too. progress : as in robodyn_ros.kernels.warm_up.
    Compiling takes seconds the first time; afterwards the machine code comes from the cache.
    """

    def __init__(self, model, frames=(), progress=None):
        super().__init__(model)
        kernels = {name: specialise(model, name, recipe) for name, recipe in RECIPES.items()}
        kernels |= {(name, frame): specialise(model, name, recipe, frame)
                    for frame in frames for name, recipe in FRAME_RECIPES.items()}
        warm_up(kernels.values(), progress)
        self.quick = {name: kernel.compiled for name, kernel in kernels.items()}

    def inverse_dynamics(self, q, qd, qdd, f_ext=None, out=None):
        if f_ext is None:
            tau = np.empty(self.nv) if out is None else out
            try:
                if self.quick['inverse_dynamics'](q, qd, qdd, tau) == 0:
                    return tau
            except TypeError:
                pass
        return super().inverse_dynamics(q, qd, qdd, f_ext, out)

    def forward_dynamics(self, q, qd, tau, f_ext=None, out=None):
        if f_ext is None:
            qdd = np.empty(self.nv) if out is None else out
            try:
                if self.quick['forward_dynamics'](q, qd, tau, qdd) == 0:
                    return qdd
            except TypeError:
                pass
        return super().forward_dynamics(q, qd, tau, f_ext, out)

    def energy(self, q, qd):
        energies = np.empty(2)
        try:
            if self.quick['energy'](q, qd, energies) == 0:
                return energies[0], energies[1]
        except TypeError:
            pass
        return super().energy(q, qd)

    def _task(self, q, frame, J, compliance):
        try:
            if self.quick['operational_space', frame](q, J, compliance) == 0:
                return q
        except (KeyError, TypeError):
            pass
        return super()._task(q, frame, J, compliance)

    inverse_dynamics.__doc__ = Robot.inverse_dynamics.__doc__
    forward_dynamics.__doc__ = Robot.forward_dynamics.__doc__
    energy.__doc__ = Robot.energy.__doc__
    gravity_torque = _quick('gravity_torque', _vector)
    bias_torque = _quick('bias_torque', _vector)
    mass_solve = _quick('mass_solve', _vector)
    mass_matrix = _quick('mass_matrix', _square)
    mass_matrix_inverse = _quick('mass_matrix_inverse', _square)
    coriolis_matrix = _quick('coriolis_matrix', _square)
    pose = _quick_at_frame('pose', lambda self: (4, 4))
    velocity = _quick_at_frame('velocity', lambda self: 6)
    jacobian = _quick_at_frame('jacobian', lambda self: (6, self.nv))
    jacobian_bias = _quick_at_frame('jacobian_bias', lambda self: 6)
