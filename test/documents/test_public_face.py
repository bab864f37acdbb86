# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `help()`, an editor and mypy show of the public face: annotations, shapes, results."""

import inspect
import re

import pytest

from robodyn_ros import Capsule, InverseKinematics, OperationalSpaceInertia, Robot, example, se3

VIEWS = Robot.from_urdf(example('two_link'))._views().values()
CLASSES = (Robot, OperationalSpaceInertia, InverseKinematics, Capsule, *VIEWS)


def ours(function):
    return getattr(function, '__module__', '').startswith('robodyn_ros')


def public():
    """Return {name: function} of all methods and functions, by the class that has them."""
    found = {
        f'{owner.__name__}.{name}': member
        for owner in CLASSES
        for name, member in inspect.getmembers(owner, callable)
        if not name.startswith('_') and ours(member)
    }
    for name, member in inspect.getmembers(se3, inspect.isfunction):
        if not name.startswith('_') and member.__module__ == se3.__name__:
            found[f'se3.{name}'] = member
    return found | {'example': example}


def parameters(function):
    listed = list(inspect.signature(function).parameters.values())
    return listed[1:] if listed and listed[0].name in ('self', 'cls') else listed


def described(function, name):
    """Return what numpydoc says of the type of a parameter, None where it says nothing."""
    pattern = rf'^(?:\*{{0,2}}\w+, )*\*{{0,2}}{name}(?:, \w+)*(?: : (.*))?$'
    found = re.search(pattern, inspect.getdoc(function) or '', re.MULTILINE)
    return found and (found[1] or '')


def test_a_robot_shows_about_twenty_methods():
    """Inherited ones too; any other goes to a view."""
    names = [name for name, _ in inspect.getmembers(Robot, callable) if not name.startswith('_')]
    assert len(names) <= 24, names


def test_the_face_is_not_empty():
    assert len(public()) > 75


@pytest.mark.parametrize('name', public())
def test_annotated_and_described_with_shapes(name):
    function = public()[name]
    assert inspect.signature(function).return_annotation is not inspect.Signature.empty
    for each in parameters(function):
        assert each.annotation is not each.empty, each.name
        assert described(function, each.name) is not None, f'{each.name} is not described'
        if each.annotation == 'ArrayLike':
            assert '(' in described(function, each.name), f'no shape of {each.name}'
    if inspect.signature(function).return_annotation != 'None':
        assert re.search(r'^(Returns|Yields)$', inspect.getdoc(function), re.MULTILINE)


@pytest.mark.parametrize('owner', CLASSES, ids=lambda owner: owner.__name__)
def test_properties_are_annotated_and_described(owner):
    for name, member in inspect.getmembers(owner, lambda it: isinstance(it, property)):
        if not name.startswith('_'):
            assert inspect.signature(member.fget).return_annotation is not inspect.Signature.empty
            assert inspect.getdoc(member), name


@pytest.mark.parametrize('name', ['inverse_dynamics', 'pose', 'operational_space_inertia'])
def test_a_method_of_an_instance_returns_the_same(name):
    """Those that are C functions too."""
    method = getattr(Robot.from_urdf(example('two_link')), name)
    expected = [each.name for each in parameters(getattr(Robot, name))]
    assert list(inspect.signature(method).parameters) == expected
    assert 'Parameters' in method.__doc__
