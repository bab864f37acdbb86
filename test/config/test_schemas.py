# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""JSON schemas of the YAML files that users write: examples fit, what is refused does not fit.

Every example is changed in many ways. What a reader refuses, its schema refuses.
"""

import json
import re
import textwrap

import pytest

from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.model.sources import (
    closure_file,
    contact_file,
    elastic_joint_file,
    flexible_link_file,
    friction_file,
    rotor_file,
)
from support.processes import ROOT

jsonschema = pytest.importorskip('jsonschema', reason='jsonschema is not installed')
yaml = pytest.importorskip('yaml', reason='PyYAML is not installed')

CONFIG, SCHEMA = ROOT / 'config', ROOT / 'config' / 'schema'
MODELINE = re.compile(r'^# yaml-language-server: \$schema=(\S+)$', re.M)
BLOCK = re.compile(r'^( *)```yaml\n(.*?)^ *```', re.S | re.M)
FILES = {
    closure_file: closure_file.loops_of,
    contact_file: contact_file.contacts_of,
    elastic_joint_file: elastic_joint_file.elastic_joints_of,
    flexible_link_file: flexible_link_file.flexible_links_of,
    friction_file: friction_file.joint_friction_of,
    rotor_file: rotor_file.rotors_of,
}
#: Of a robot that has as many joints as the longest list of WRONG has numbers.
SIZES = {'n': 5, 'nq': 5}
#: What no number, name, list or mapping of these files may be replaced by without being noticed.
WRONG = ('word', True, 0.5, None, [], {}, [1.0] * 5, [{}], {'odd': 1.0}, [[0.5]])


def validator(name):
    """Return the validator of a schema."""
    schema = json.loads((SCHEMA / name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope='module')
def of_models():
    return validator('model.json')


@pytest.fixture(scope='module')
def of_parameters():
    return validator('parameters.json')


def example_of(reader):
    """Return the example in the docstring of a reader."""
    text = textwrap.dedent(reader.__doc__.partition('\n')[2])
    first = re.search(r'^ *(?:[a-z_]+):$', text, re.M)
    text = textwrap.dedent(text[first.start() :]).replace(' ...', ' [[1.0]]')
    return yaml.safe_load(text)


def changed(value):
    """Yield copies of nested content, each with one thing changed: a value, or a name."""
    yield from WRONG
    if isinstance(value, dict):
        yield value | {'odd': 1.0}
        for name, inner in value.items():
            rest = {key: each for key, each in value.items() if key != name}
            yield rest
            yield rest | {f'{name}_': inner}
            for other in changed(inner):
                yield value | {name: other}
    if isinstance(value, list):
        yield value[:-1]
        yield [*value, *value[-1:]]
        for place, inner in enumerate(value):
            for other in changed(inner):
                yield [*value[:place], other, *value[place + 1 :]]


@pytest.mark.parametrize('reader', FILES, ids=lambda reader: reader.__name__.rpartition('.')[2])
def test_what_a_reader_refuses_is_refused_by_the_schema(reader, of_models, tmp_path):
    whole, path = example_of(reader), tmp_path / 'arm.yaml'
    whole.pop('collision_links', None)  # these need a URDF
    of_models.validate(whole)
    refused = 0
    for content in changed(whole):
        path.write_text(yaml.safe_dump(json.loads(json.dumps(content))))  # without anchors
        try:
            FILES[reader](path)
        except RobodynError as error:
            refused += 1
            assert not of_models.is_valid(content), f'{error}\n{content}'
    assert refused > 50


def texts():
    """Return {place: text} of the shipped YAML files, and of the examples of the pages."""
    found = {
        str(path.relative_to(ROOT)): path.read_text() for path in sorted(CONFIG.rglob('*.yaml'))
    }
    for path in (ROOT / 'README.md', *sorted((ROOT / 'doc').rglob('*.md'))):
        for k, match in enumerate(BLOCK.finditer(path.read_text())):
            found[f'{path.relative_to(ROOT)}:{k}'] = textwrap.dedent(match[2])
    return found


@pytest.mark.parametrize('place', texts())
def test_shipped_files_and_examples_of_the_pages_fit(place, of_models, of_parameters):
    text = texts()[place].replace('[[...]]', '[[1.0]]')
    content = yaml.safe_load(text)
    is_of_nodes = 'ros__parameters' in text
    (of_parameters if is_of_nodes else of_models).validate(content)
    if place.startswith('config/') and (not is_of_nodes or '/robodyn_' in text):
        found = MODELINE.search(text)
        expected = SCHEMA / ('parameters.json' if is_of_nodes else 'model.json')
        assert found and ((ROOT / place).parent / found[1]).resolve() == expected


def test_schemas_are_those_of_the_readers():
    """The committed ones are current."""
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    from tools.schemas import SCHEMAS, text_of

    assert {path.name for path in SCHEMA.iterdir()} == {*SCHEMAS}
    for name in SCHEMAS:
        assert (SCHEMA / name).read_text() == text_of(name), 'run `python -m tools.schemas`'


def in_file(node, name, value):
    """Return the contents of a parameter file with one parameter."""
    return {f'/**/robodyn_{node}': {'ros__parameters': {name: value}}}


def nested(name, value):
    """Return a parameter in nested mappings, {first part: {second part: value}}."""
    for part in reversed(name.split('.')[1:]):
        value = {part: value}
    return value


@pytest.mark.parametrize('node', ('controller', 'simulator'))
def test_a_parameter_is_refused_as_by_its_node(node, of_parameters):
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    from tools.pages.parameter_tables import BY_LAW, TABLES

    refused = taken = 0
    for spec in TABLES[node]:
        name = spec.name.replace('<joint>', 'joint1')
        values = [each for each in WRONG if not isinstance(each, dict)]  # these are groups
        values += [1e12, -1e12, 7, *spec.choices[:1], spec.choices[:1] * 5]
        values += [] if spec.default == BY_LAW else [spec.default]
        values = [list(each) if isinstance(each, tuple) else each for each in values]
        for value in values:
            try:
                accepted = not spec.length_complaint(spec.convert(value), SIZES)
            except ParameterError:
                accepted = False
            for content in (
                in_file(node, name, value),
                in_file(node, name.partition('.')[0], nested(name, value)),
            ):
                valid = of_parameters.is_valid(content)
                # Only the node has the grammar of topics, and other such rules of a text.
                judged = isinstance(value, str) and spec.judge(value)
                assert valid == accepted or judged and valid, (name, value)
            refused, taken = refused + (not accepted), taken + accepted
    assert refused > 500 and taken > 100


@pytest.mark.parametrize('node', ('controller', 'simulator'))
def test_a_misspelt_parameter_is_refused(node, of_parameters):
    assert of_parameters.is_valid(in_file(node, 'update_rate', 500))
    for name in ('update_rat', 'gains.joint1.q', 'realtime.cpu', 'ros__parameters'):
        assert not of_parameters.is_valid(in_file(node, name, 500)), name
    assert not of_parameters.is_valid({f'robodyn_{node}': {'update_rate': 500}})


def test_a_law_of_another_package_has_parameters_of_its_own(of_parameters):
    file = in_file('controller', 'law', 'my_law')
    ((_, node),) = file.items()
    node['ros__parameters']['my_law.stiffness'] = 3.0
    assert of_parameters.is_valid(file)
    node['ros__parameters']['law'] = 'pd'
    assert not of_parameters.is_valid(file)


def test_other_nodes_and_namespaces_are_left_alone(of_parameters):
    other = {'ros__parameters': {'anything': [1, 2]}}
    assert of_parameters.is_valid({'controller_manager': other, '/**': other})
    assert of_parameters.is_valid({'arm': {'robodyn_simulator': {'ros__parameters': {}}}})
    wrong = {'ros__parameters': {'anything': 1}}
    assert not of_parameters.is_valid({'arm': {'robodyn_simulator': wrong}})
