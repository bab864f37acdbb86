# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the inertias and joint constants of a model into its URDF, and the rest into YAML.

URDF has no element for rotor inertia, nor for friction at rest, at low speed or over the position.
They are written to YAML files: `sources.rotor_file` for the reflected model of rotors, and
`sources.friction_file`.
"""

from xml.etree import ElementTree

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model import xml_text
from robodyn_ros.model.arithmetic import dot, product
from robodyn_ros.model.layout import (
    COSINE,
    DAMPING,
    DEAD_BAND,
    FRICTION,
    INERTIA,
    MASS,
    MOMENT,
    ROTOR,
    SINE,
    STICTION,
    STRIBECK_EXPONENT,
    STRIBECK_VELOCITY,
    WAVENUMBER,
    V,
)

ENTRIES = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')


def with_parameters(source, model):
    """Return the URDF of a robot with the inertias, damping and friction of a model.

    A body gets one <inertial>, at the link that its joint moves. Links welded or locked to it lose
    theirs, so the URDF needs the same locked joints.

    `source` (str, bytes or path): URDF of the robot.
    `model` (RobotModel): a model of the same robot.
    Raises ModelError: if a body of the model is no link of the URDF.
    """
    root = xml_text.root_element(source)
    links = {link.get('name'): link for link in root.findall('link')}
    joints = {joint.get('name'): joint for joint in root.findall('joint')}
    for i, name in enumerate(model.body_names[1:], start=1):
        joint = joints.get(model.all_joint_names[model.topology[i, V]])
        if name not in links or joint is None:
            raise ModelError(
                f'robot {model.name!r}: body {name!r} is no link of its URDF with a joint of its '
                'own; expected rotors as inertia at their joints, and joints of one degree of '
                'freedom'
            )
        for what, column in (('damping', DAMPING), ('friction', FRICTION)):
            _child(joint, 'dynamics').set(what, repr(float(model.constants[i, column])))
    for name, link in links.items():
        if name in model.frames and model.frames[name].body > 0:
            for element in link.findall('inertial'):
                link.remove(element)
    for name, (mass, com, inertia) in link_inertias(model).items():
        _add_inertial(links[name], mass, com, inertia)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding='unicode') + '\n'


def link_inertias(model):
    """Return mass and inertia of the links of a model.

    Bodies have the inertia of all links that are fixed to them. Links without mass are left out.

    Returns by name of the link: mass [kg], centre of mass (3,) [m] in axes of the link, and
      inertia (3, 3) about it [kg m^2].
    """
    found = {}
    for name, row in zip(model.body_names[1:], model.constants[1:]):
        if not row[MASS] > 0.0:
            continue
        frame = model.frame(name)
        mass, com = float(row[MASS]), row[MOMENT : MOMENT + 3] / row[MASS]
        xx, xy, xz, yy, yz, zz = row[INERTIA : INERTIA + 6]
        about_origin = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        about_com = about_origin - mass * (dot(com, com) * np.eye(3) - np.outer(com, com))
        R = frame.rotation
        found[name] = (
            mass,
            product(R.T, com - frame.translation),
            product(product(R.T, about_com), R),
        )
    return found


def rotor_file(model):
    """Return YAML text of the rotor inertias of a model, seen at the joints."""
    inertias = {
        name: float(inertia)
        for name, inertia in zip(model.joint_names, model.joint_values(ROTOR))
        if inertia > 0.0
    }
    lines = (
        f'  {_quoted(name)}: {{inertia: {inertia!r}, gear_ratio: 1.0}}'
        for name, inertia in inertias.items()
    )
    head = '# Rotor inertia seen at each joint; read it with rotor_model: reflected.'
    return '\n'.join((head, 'rotors:', *lines, '')) if inertias else ''


def friction_file(model):
    """Return YAML text of the friction of a model that URDF cannot state."""
    columns = {
        'stribeck_velocity': STRIBECK_VELOCITY,
        'stribeck_exponent': STRIBECK_EXPONENT,
        'cosine': COSINE,
        'sine': SINE,
        'wavenumber': WAVENUMBER,
        'dead_band': DEAD_BAND,
    }
    values = {name: model.joint_values(column) for name, column in columns.items()}
    static = model.joint_values(FRICTION) + model.joint_values(STICTION)
    values['static'] = np.where(values['stribeck_velocity'] > 0.0, static, 0.0)
    lines = []
    for k, joint in enumerate(model.joint_names):
        entries = {name: float(each[k]) for name, each in values.items() if each[k] != 0.0}
        if entries:
            text = ', '.join(f'{name}: {value!r}' for name, value in entries.items())
            lines.append(f'  {_quoted(joint)}: {{{text}}}')
    return '\n'.join(('joint_friction:', *lines, '')) if lines else ''


def parameter_file(model, urdf_path, rotors_path='', friction_path=''):
    """Return YAML text of ROS parameters of this robot, for the controller and the simulator.

    `urdf_path`, `rotors_path`, `friction_path` (path): its files; '' without rotors, and without
      further friction.
    """
    values = {
        'urdf_path': _quoted(urdf_path),
        'rotors_path': _quoted(rotors_path),
        'rotor_model': 'reflected',
        'joint_friction_path': _quoted(friction_path),
        'base_link': _quoted(model.body_names[0]),
        'joints': _listed(model.joint_names),
        'locked': _listed(f'{name}={float(at)!r}' for name, at in model.held.items()),
        'gravity': str(model.gravity.tolist()),
    }
    lines = (f'    {name}: {value}' for name, value in values.items() if value not in ("''", '[]'))
    return '\n'.join(('/**:', '  ros__parameters:', *lines, ''))


def _add_inertial(link, mass, com, inertia):
    """Add an <inertial> element to a link."""
    element = ElementTree.SubElement(link, 'inertial')
    ElementTree.SubElement(element, 'origin', xyz=' '.join(repr(float(x)) for x in com))
    ElementTree.SubElement(element, 'mass', value=repr(mass))
    entries = inertia[np.triu_indices(3)].tolist()
    ElementTree.SubElement(element, 'inertia', dict(zip(ENTRIES, map(repr, entries))))


def _child(element, tag):
    """Return the child element of a tag, which is made if it is missing."""
    found = element.find(tag)
    return ElementTree.SubElement(element, tag) if found is None else found


def _quoted(text):
    """Return a text as a YAML string."""
    return "'{}'".format(str(text).replace("'", "''"))


def _listed(names):
    """Return names as a YAML list."""
    return f'[{", ".join(map(_quoted, names))}]'
