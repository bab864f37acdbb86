# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Known answers of emitted functions: the recursions run in Python, without the tape."""

import numpy as np

from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import closing_of, sizes
from robodyn_ros.codegen.verification import NEARBY, interpreted
from robodyn_ros.model.description import Inertial, Placement
from robodyn_ros.model.layout import CONSTANT_COLUMNS, INERTIA, MASS
from robodyn_ros.model.rigid_body import add_rigid_body

STATES = 3
#: Allowed relative error, and its increase with the condition number of an inverted matrix.
TOLERANCE = {'double': (1e-11, 1e-14), 'float': (1e-4, 5e-6)}


def answers(model, one, style):
    """Return known answers of one function at some states.

    `one` (Emitted): the function.
    Returns (inputs, results, allowed errors) of each state. Inputs and results are arrays in the
      order of the arguments. Each result has an allowed absolute error. Results are None if the
      recursion meets a singular pivot.
    """
    rng, found = np.random.default_rng(0), []
    inputs, outputs = (sizes(part, model) for part in (one.recipe.inputs, one.recipe.outputs))
    closed = model.has_loops and 'q' in inputs and postures(model, inputs['q'][0], STATES)
    for k in range(STATES):
        given = {name: rng.uniform(-1.5, 1.5, shape) for name, shape in inputs.items()}
        if model.has_loops and 'q' in given:
            given['q'] = closed[k]
        if 'payload' in given:
            given['payload'] = np.array([_payload(rng) for _ in given['payload']])
        if 'diagonal' in given:  # added to the mass matrix, which must stay positive definite
            given['diagonal'] = np.abs(given['diagonal'])
        if style.real == 'float':
            given = {name: np.float64(np.float32(values)) for name, values in given.items()}
        results = {name: np.zeros(shape) for name, shape in outputs.items()}
        M = np.eye(model.nv)
        if 'q' in given:
            interpreted(RECIPES['mass_matrix'], None, model, {'q': given['q']}, {'M': M})
        status = interpreted(one.recipe, one.subject, model, given, results)
        base, rounding = TOLERANCE[style.real]
        condition = np.linalg.cond(M)
        if 'inertia' in results and 'compliance' in results:
            condition += np.linalg.cond(results['compliance'])
        relative = base + rounding * condition
        expected = None if status or one.recording.singular else [*results.values()]
        errors = [relative * max(1.0, np.abs(values).max()) for values in results.values()]
        found.append(([*given.values()], expected, errors))
    return found


def postures(model, length, count):
    """Return postures of a robot whose loops close.

    `length`: number of positions of each: of all joints, or of the independent ones.
    `count`: number of postures.
    Returns positions of the independent joints near the closed posture, or closed positions of all
      joints.
    """
    values = np.random.default_rng(1).uniform(-1.5, 1.5, (length, count))
    if length == len(model.all_position_names):
        closing_of(model, length).write_accepted_samples(values)
        return values.T
    # the loops cannot close everywhere, but they do near this posture
    return model.closed_posture + NEARBY * values.T


def _payload(rng):
    """Return the parameters of a random rigid body; other ones may make the dynamics singular."""
    row, (mass, *moments) = np.zeros(CONSTANT_COLUMNS), rng.uniform(0.1, 1.0, 4)
    inertia = np.diag(np.sum(moments) - moments)
    add_rigid_body(row, Placement(), Inertial(mass, rng.uniform(-0.5, 0.5, 3), inertia))
    return row[MASS : INERTIA + 6]
