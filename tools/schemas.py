# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the JSON schemas of the YAML files that users write: python -m tools.schemas.

They are made of the tables by which the readers check these files: `model.json` of the readers in
robodyn_ros/model/sources, `parameters.json` of the parameters of both nodes.
"""

import json
import math
import re
from dataclasses import MISSING, fields
from pathlib import Path

from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.model.dependent.closures import MOTIONS, TYPES
from robodyn_ros.model.sources import (
    closure_file,
    contact_file,
    elastic_joint_file,
    flexible_link_file,
    friction_file,
    rotor_file,
    yaml_file,
)

FOLDER = Path(__file__).resolve().parents[1] / 'config' / 'schema'
DIALECT = 'https://json-schema.org/draft/2020-12/schema'

#: YAML 1.1 reads 1e-4, without a point, as text.
NUMBER_AS_TEXT = r'^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$'
NUMBER = {'$ref': '#/$defs/number'}
TABLE = {'$ref': '#/$defs/table'}
TEXT = {'type': 'string'}
NAMES = {'type': 'array', 'items': TEXT}
#: Contact is between shapes and obstacles, so a file has both.
CONTACT = ('obstacles', 'shapes', 'collision_links')
DEFINITIONS = {
    'number': {'anyOf': [{'type': 'number'}, {'type': 'string', 'pattern': NUMBER_AS_TEXT}]},
    'table': {'anyOf': [NUMBER, {'type': 'array', 'items': TABLE}]},
}


def entry(properties, required=(), **rest):
    """Return the schema of a mapping that has no other names."""
    return {
        'type': 'object',
        'properties': properties,
        'required': [*required],
        'additionalProperties': False,
    } | rest


def by_name(value):
    """Return the schema of a mapping of names to values of a schema."""
    return {'type': 'object', 'additionalProperties': value}


def numbers(count):
    """Return the schema of some numbers; one may stand alone."""
    listed = {'type': 'array', 'items': NUMBER, 'minItems': count, 'maxItems': count}
    return {'anyOf': [NUMBER, listed]} if count == 1 else listed


def one_of(names):
    """Return the condition that a mapping has exactly one of some names."""
    return {'oneOf': [{'required': [name]} for name in names]}


def closures():
    """Return the schema of a closure of a loop."""
    frame = entry(
        {name: TEXT if name == 'link' else numbers(3) for name in closure_file.PLACE},
        closure_file.PLACE[:1],
    )
    known = {
        'type': {'enum': [*TYPES]},
        'stops': {'type': 'array', 'items': {'enum': [*MOTIONS]}, 'minItems': 1},
        'distance': numbers(1),
    } | dict.fromkeys(closure_file.SIDES, frame)
    return entry(
        {name: known[name] for name in closure_file.ENTRIES},
        closure_file.SIDES,
        **one_of(('type', 'stops')),
    )


def coupling():
    """Return the schema of a coupling of joints."""
    known = {'follows': by_name(numbers(1)), 'offset': numbers(1)}
    return entry({name: known[name] for name in closure_file.COUPLING}, closure_file.COUPLING[:1])


def shape():
    """Return the schema of a shape on a link."""
    forms = {name: numbers(count) for name, count in contact_file.LENGTHS.items()}
    pose = {name: numbers(3) for name in contact_file.POSE}
    return entry({'link': TEXT} | forms | pose, ['link'], **one_of(forms))


def obstacle():
    """Return the schema of an obstacle."""
    kinds = {name: numbers(count) for name, count in contact_file.KINDS.items()}
    pose = {name: numbers(3) for name in contact_file.POSE}
    surface = {name: numbers(1) for name in contact_file.SURFACE}
    return entry(kinds | pose | surface, **one_of(kinds))


def rotor():
    """Return the schema of a rotor."""
    return entry(
        {name: numbers(3 if name in rotor_file.VECTORS else 1) for name in rotor_file.ENTRIES},
        rotor_file.REQUIRED,
    )


def flexible_link():
    """Return the schema of a link that bends by modes."""
    of_beam = {
        'end': numbers(3),
        'up': numbers(3),
        'bending': {'anyOf': [numbers(1), numbers(2)]},
        'modes': {'type': ['integer', 'array'], 'items': {'type': 'integer'}},
        'loaded_tip': {'type': 'boolean'},
    } | {name: numbers(1) for name in flexible_link_file.SCALARS}
    kinds = {
        kind: entry(
            {each.name: of_beam[each.name] if kind == 'beam' else TABLE for each in fields(made)},
            [each.name for each in fields(made) if each.default is MISSING],
        )
        for kind, made in flexible_link_file.KINDS.items()
    }
    return entry(kinds, **one_of(kinds))


def model_schema():
    """Return the schema of a file beside a description: all sections that the readers know."""
    sections = {
        'closures': by_name(closures()),
        'independent': NAMES | {'type': ['array', 'null']},
        'near': by_name(numbers(1)),
        'couplings': by_name(coupling()),
        'rotors': by_name(rotor()),
        'obstacles': by_name(obstacle()),
        'shapes': by_name(shape()),
        'collision_links': NAMES,
        'elastic_joints': by_name(
            entry(
                {name: numbers(1) for name in elastic_joint_file.ENTRIES},
                elastic_joint_file.REQUIRED,
            )
        ),
        'flexible_links': by_name(flexible_link()),
        'joint_friction': by_name(entry({name: numbers(1) for name in friction_file.ENTRIES})),
    }
    return {
        '$schema': DIALECT,
        'title': 'What a description cannot say: loops, rotors, springs, friction, contacts',
        **entry({name: sections[name] for name in yaml_file.KNOWN}, minProperties=1),
        'if': {'anyOf': [{'required': [name]} for name in CONTACT]},
        'then': {
            'required': ['obstacles'],
            'properties': {'obstacles': {'minProperties': 1}},
            'anyOf': [
                {'required': ['shapes'], 'properties': {'shapes': {'minProperties': 1}}},
                {
                    'required': ['collision_links'],
                    'properties': {'collision_links': {'minItems': 1}},
                },
            ],
        },
        '$defs': DEFINITIONS,
    }


def parameter(spec):
    """Return the schema of the value of a parameter, by its row of the table (ParamSpec)."""
    kind = spec.type.removesuffix('[]')
    value: dict = {
        'type': {'bool': 'boolean', 'int': 'integer', 'float': 'number'}.get(kind, kind)
    }
    for key, limit in (('minimum', spec.lower), ('maximum', spec.upper)):
        if math.isfinite(limit):
            value[key] = limit
    if spec.choices:
        value = {'enum': [*spec.choices]}
        if {'yes', 'no'} <= {*spec.choices}:
            value['enum'] += [True, False]  # YAML 1.1 reads unquoted yes and no as booleans
    if spec.is_array:  # rcl reads [] as nothing
        value = {'type': ['array', 'null'], 'items': value}
        if spec.lengths and not any(isinstance(each, str) for each in spec.lengths):
            value['anyOf'] = [{'minItems': each, 'maxItems': each} for each in spec.lengths]
        if spec.lengths and 0 not in spec.lengths:
            value |= {'type': 'array', 'minItems': 1}
    unit = f' [{spec.unit}]' if spec.unit else ''
    return {'description': f'{spec.text}{unit}', **value}


def parameters(specs):
    """Return the schema of the parameters of a node, whose names may be nested or have points."""
    tree: dict = {}
    for spec in specs:
        *groups, last = spec.name.split('.')
        place = tree
        for group in groups:
            place = place.setdefault(group, {})
        place[last] = spec
    return _nested(tree)


def _nested(tree):
    """Return the schema of a group of parameters: each may be under any part of its name."""
    known, patterns = {}, {}
    for path, value in _below(tree):
        found = _nested(value) if isinstance(value, dict) else parameter(value)
        if '<joint>' in path:
            parts = ('[^.]+' if part == '<joint>' else re.escape(part) for part in path)
            patterns[f'^{"[.]".join(parts)}$'] = found
        else:
            known['.'.join(path)] = found
    return entry(known, **({'patternProperties': patterns} if patterns else {}))


def _below(tree, path=()):
    """Yield the groups and the parameters below a group, with their names from there."""
    for name, value in tree.items():
        yield (*path, name), value
        if isinstance(value, dict):
            yield from _below(value, (*path, name))


def parameters_schema():
    """Return the schema of a parameter file: of both nodes; others may have anything."""
    from tools.pages.parameter_tables import TABLES  # it imports ROS

    of_ros = {'use_sim_time': {'type': 'boolean'}, 'qos_overrides': {'type': 'object'}}
    definitions = {}
    for node, specs in TABLES.items():
        found = parameters(specs)
        found['properties'] |= of_ros
        definitions[node] = found
    # A law of another package has parameters that only the node knows.
    definitions['controller'] = {
        'properties': {'law': definitions['controller']['properties']['law']},
        'if': {'properties': {'law': {'enum': [*BUILT_IN]}}},
        'then': definitions['controller'],
    }
    return {
        '$schema': DIALECT,
        'title': 'Parameters of robodyn_controller and robodyn_simulator',
        'type': 'object',
        'patternProperties': {
            f'(^|/)robodyn_{node}$': entry({'ros__parameters': {'$ref': f'#/$defs/{node}'}})
            for node in TABLES
        },
        'properties': {'ros__parameters': {'type': 'object'}},
        'additionalProperties': {'$ref': '#'},
        '$defs': definitions,
    }


SCHEMAS = {'model.json': model_schema, 'parameters.json': parameters_schema}


def text_of(name):
    """Return the text of a schema, one of SCHEMAS."""
    return json.dumps(SCHEMAS[name](), indent=1) + '\n'


if __name__ == '__main__':
    FOLDER.mkdir(exist_ok=True)
    for each in SCHEMAS:
        (FOLDER / each).write_text(text_of(each))
