# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same quantities by other libraries with a Python interface, if they are installed."""

import contextlib
import logging
import re
import subprocess
import tempfile
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np

from robodyn_ros import Robot

BANK = 1024
#: Gravity [m/s^2] of libraries that have one of their own.
GRAVITY = {'dynibo python': (0.0, 0.0, -9.80665)}


def find(text, frame):
    """Return the calls of each library, and why others are missing.

    The first is {library: {quantity: {column: call}}}, the second {library: reason}. Joint
    friction and damping are removed from the description, since only some libraries count them.
    """
    text = re.sub(r'<dynamics[^>]*/>', '', text)
    found, absent = {}, {}
    for name, library in LIBRARIES.items():
        try:
            found[name] = library(text, frame)
        except ImportError as error:
            absent[name] = f'not installed ({error.name or error})'
        except Exception as error:  # a library may refuse this robot in any way
            absent[name] = f'{type(error).__name__}: {str(error).strip().splitlines()[0][:120]}'
    return found, absent


def versions():
    """Return {library: its version} of the installed libraries."""
    found = {}
    for name, package in (
        ('pinocchio', 'pin'),
        ('mujoco', 'mujoco'),
        ('drake', 'drake'),
        ('casadi', 'casadi'),
        ('dynibo', 'dynibo'),
        ('toolbox', 'roboticstoolbox-python'),
    ):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(package)
    return found


def pinocchio(text, frame):
    """Return calls of Pinocchio's analytical algorithms."""
    import pinocchio as pin

    model = pin.buildModelFromXML(text)
    data, pool = model.createData(), pin.ModelPool(model, 1)
    number = model.getFrameId(frame)
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def task(q):
        J = pin.computeFrameJacobian(model, data, q, number, world)
        Minv = pin.computeMinverse(model, data, q)
        Minv = np.triu(Minv) + np.triu(Minv, 1).T  # Pinocchio fills only the upper half
        compliance = J @ Minv @ J.T
        return J, compliance, np.linalg.inv(compliance)

    def inside(run):
        def of(given):
            columns = [np.asfortranarray(array.T) for array in given]
            return lambda: run(1, pool, *columns), BANK

        return of

    return {
        'inverse_dynamics': {
            'pinocchio loop': inside(pin.rneaInParallel),
            'pinocchio python': lambda *x: pin.rnea(model, data, *x),
        },
        'gravity_torque': {
            'pinocchio python': lambda q: pin.computeGeneralizedGravity(model, data, q)
        },
        'mass_matrix': {'pinocchio python': lambda q: pin.crba(model, data, q)},
        'forward_dynamics': {
            'pinocchio loop': inside(pin.abaInParallel),
            'pinocchio python': lambda *x: pin.aba(model, data, *x),
        },
        'mass_matrix_inverse': {'pinocchio python': lambda q: pin.computeMinverse(model, data, q)},
        'jacobian': {
            'pinocchio python': lambda q: pin.computeFrameJacobian(model, data, q, number, world)
        },
        'operational_space_inertia': {'pinocchio python': task},
        'inverse_dynamics_derivatives': {
            'pinocchio python': lambda *x: pin.computeRNEADerivatives(model, data, *x)
        },
        'forward_dynamics_derivatives': {
            'pinocchio python': lambda *x: pin.computeABADerivatives(model, data, *x)
        },
    }


def mujoco(text, frame):
    """Return calls of MuJoCo without contacts and constraints."""
    import mujoco as mj

    model = mj.MjModel.from_xml_string(text)
    for name in ('CONSTRAINT', 'CONTACT', 'ACTUATION', 'PASSIVE', 'SPRING', 'DAMPER'):
        model.opt.disableflags |= getattr(mj.mjtDisableBit, f'mjDSBL_{name}', 0)  # names vary
    data = mj.MjData(model)
    M, J, X = np.empty((model.nv, model.nv)), np.zeros((6, model.nv)), np.zeros((6, model.nv))
    body = mj.mj_name2id(model, mj.mjtObj.mjOBJ_BODY, frame)

    def inverse(q, qd, qdd):
        data.qpos, data.qvel, data.qacc = q, qd, qdd
        mj.mj_inverse(model, data)
        return data.qfrc_inverse

    def forward(q, qd, tau):
        data.qpos, data.qvel, data.qfrc_applied = q, qd, tau
        mj.mj_forward(model, data)
        return data.qacc

    def inertia(q):
        data.qpos = q
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_crb(model, data)

    def mass(q):
        inertia(q)
        try:
            mj.mj_fullM(model, M, data.qM)
        except (TypeError, AttributeError):
            mj.mj_fullM(model, data, M)
        return M

    def task(q):
        inertia(q)
        mj.mj_factorM(model, data)
        mj.mj_jacBody(model, data, J[:3], J[3:], body)
        mj.mj_solveM(model, data, X, J)
        compliance = J @ X.T
        return J, compliance, np.linalg.inv(compliance)

    calls = {
        'inverse_dynamics': {'mujoco python': inverse},
        'forward_dynamics': {'mujoco python': forward},
        'mass_matrix': {'mujoco python': mass},
    }
    return calls if body < 0 else calls | {'operational_space_inertia': {'mujoco python': task}}


def drake(text, frame):
    """Return calls of Drake's MultibodyPlant, which needs the state in its context."""
    logging.getLogger('drake').setLevel(logging.ERROR)
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(text, 'urdf')
    base = plant.GetBodyByName(Robot.from_urdf(text).model.body_names[0])
    plant.WeldFrames(plant.world_frame(), base.body_frame())
    plant.Finalize()
    context, forces = plant.CreateDefaultContext(), MultibodyForces(plant)
    port = plant.get_applied_generalized_force_input_port()
    held = port.FixValue(context, np.zeros(plant.num_velocities()))
    given = held.GetMutableData().get_mutable_value()
    result = plant.get_generalized_acceleration_output_port()

    def inverse(q, qd, qdd):
        plant.SetPositions(context, q)
        plant.SetVelocities(context, qd)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, qdd, forces)

    def forward(q, qd, tau):
        plant.SetPositions(context, q)
        plant.SetVelocities(context, qd)
        given.SetFromVector(tau)
        return result.Eval(context)

    def mass(q):
        plant.SetPositions(context, q)
        return plant.CalcMassMatrix(context)

    return {
        'inverse_dynamics': {'drake python': inverse},
        'forward_dynamics': {'drake python': forward},
        'mass_matrix': {'drake python': mass},
    }


def dynibo(text, frame):
    """Return calls of dynibo, Rust code for any robot, into arrays that are used again."""
    import dynibo as library

    with tempfile.NamedTemporaryFile('w', suffix='.urdf') as file:
        file.write(text)
        file.flush()
        robot = library.Robot.from_urdf(file.name)
    n = robot.joint_count
    forces, accelerations, matrix = np.empty(n), np.empty(n), np.empty(n * n)
    return {
        'inverse_dynamics': {'dynibo python': lambda *x: robot.inverse_dynamics(*x, None, forces)},
        'gravity_torque': {'dynibo python': lambda q: robot.gravity(q, None, forces)},
        'mass_matrix': {'dynibo python': lambda q: robot.mass_matrix(q, matrix).reshape(n, n)},
        'forward_dynamics': {
            'dynibo python': lambda *x: robot.forward_dynamics(*x, None, accelerations)
        },
    }


def roboticstoolbox(text, frame):
    """Return calls of Corke's toolbox, whose recursion is interpreted."""
    import roboticstoolbox as toolbox

    with tempfile.NamedTemporaryFile('w', suffix='.urdf') as file, warnings.catch_warnings():
        warnings.simplefilter('ignore')
        file.write(text)
        file.flush()
        robot = toolbox.Robot.URDF(file.name)
    return {
        'inverse_dynamics': {'toolbox python': robot.rne},
        'mass_matrix': {'toolbox python': robot.inertia},
    }


def casadi(text, frame):
    """Return calls of this package's recursions recorded by CasADi, as C code of gcc -O3."""
    import casadi as ca

    from robodyn_ros.algorithms.core import crba, rnea
    from robodyn_ros.codegen.specialise import run_on_tape, zeros
    from robodyn_ros.codegen.tape import Tape

    getattr(ca.GlobalOptions, 'setNumpyMode', lambda mode: None)(-1)  # avoids a warning
    model, calls = Robot.from_urdf(text).model, {}
    n, folder = model.nv, Path(tempfile.mkdtemp())
    for name, recursion, inputs, output, shape in (
        ('inverse_dynamics', rnea.inverse_dynamics, ('q', 'qd', 'qdd'), 'tau', (n,)),
        ('mass_matrix', crba.mass_matrix, ('q',), 'M', (n, n)),
    ):
        symbols = {key: ca.SX.sym(key, n) for key in inputs}
        result = zeros(shape)
        run_on_tape(
            recursion,
            model,
            Tape(),
            **{output: result},
            **{key: np.array(ca.vertsplit(symbol), object) for key, symbol in symbols.items()},
        )
        flat = ca.vertcat(*result.ravel())
        ca.Function(name, [*symbols.values()], [flat]).generate(
            f'{name}.c', {'with_header': False}
        )
        Path(f'{name}.c').replace(folder / f'{name}.c')
        library = str(folder / f'{name}.so')
        subprocess.run(
            [
                'gcc',
                '-O3',
                '-march=native',
                '-shared',
                '-fPIC',
                str(folder / f'{name}.c'),
                '-o',
                library,
            ],
            check=True,
        )
        calls[name] = {'casadi python': _buffered(ca.external(name, library), shape)}
    return calls


def _buffered(function, shape):
    """Return a call of a CasADi function through shared memory, which is its fastest way."""
    result = np.zeros(shape)
    memory, run = function.buffer()
    memory.set_res(0, memoryview(result))

    def call(*given):
        for k, array in enumerate(given):
            memory.set_arg(k, memoryview(array))
        run()
        return result

    return call


LIBRARIES = {
    'pinocchio': pinocchio,
    'mujoco': mujoco,
    'drake': drake,
    'casadi': casadi,
    'dynibo': dynibo,
    'roboticstoolbox': roboticstoolbox,
}
