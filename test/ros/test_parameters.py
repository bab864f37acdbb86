# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A parameter table is declared, checked and documented from the same lines."""

import math

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.parameter import Parameter  # noqa: E402

from robodyn_ros.errors import ParameterError  # noqa: E402
from robodyn_ros.ros.common.parameter_table import (  # noqa: E402
    CONFIGURE,
    LIVE,
    START,
    Parameters,
    ParamSpec,
    markdown_table,
    topic_name,
    topic_name_or_nothing,
)
from robodyn_ros.ros.simulator import simulator_parameters  # noqa: E402

TABLE = (
    ParamSpec('rate', 'int', 1000, 'Hz', 'Loop rate.', lower=1, upper=10000, change=START),
    ParamSpec('timeout', 'float', 0.02, 's', 'Age limit.', lower=0.001, upper=0.2, change=LIVE),
    ParamSpec('law', 'string', 'pd', '', 'Law.', choices=('pd', 'computed_torque')),
    ParamSpec('joints', 'string[]', (), '', 'Joints.'),
    ParamSpec('limits', 'float[]', (), 'N m', 'Limits.', lower=0.0, change=LIVE, lengths=(0, 'n')),
    ParamSpec('gravity', 'float[]', (0.0, 0.0, -9.81), 'm/s^2', 'Gravity.', lengths=(3,)),
    ParamSpec('enabled', 'bool', True, '', 'On.', change=LIVE),
)


@pytest.fixture
def make_node():
    context = rclpy.Context()
    rclpy.init(context=context)
    nodes = []

    def make(*arguments):
        cli = ['--ros-args', *(part for text in arguments for part in ('-p', text))]
        nodes.append(rclpy.create_node('parameters_test', context=context, cli_args=cli))
        return nodes[-1]

    yield make
    for node in nodes:
        node.destroy_node()
    rclpy.shutdown(context=context)


def set_all(node, **values):
    parameters = [Parameter(name, value=value) for name, value in values.items()]
    return node.set_parameters_atomically(parameters)


@pytest.mark.parametrize(
    ('given', 'efforts'),
    [
        ((), 'forward_effort_controller/commands'),
        (('joint_commands_topic:=/names',), ''),
        (("joint_commands_topic:=''",), 'forward_effort_controller/commands'),
        (('joint_commands_topic:=/names', 'effort_command_topic:=/efforts'), '/efforts'),
    ],
)
def test_a_simulator_given_commands_by_name_takes_no_efforts_in_order(make_node, given, efforts):
    """Otherwise a robot behind ros2_control follows a controller around it."""
    node = make_node(*given)
    topics = simulator_parameters.COMMAND_TOPICS
    table = [spec for spec in simulator_parameters.SIMULATOR_PARAMETERS if spec.name in topics]
    assert Parameters(node, table).snapshot()['effort_command_topic'] == efforts
    assert node.get_parameter('effort_command_topic').value == efforts


def test_overrides_replace_defaults(make_node):
    parameters = Parameters(make_node('timeout:=0.05', "joints:=['a','b']"), TABLE)
    parameters.require_valid()
    values = parameters.snapshot()
    assert values['rate'] == 1000
    assert values['timeout'] == 0.05
    assert values['joints'] == ('a', 'b')
    assert values['gravity'] == (0.0, 0.0, -9.81)


def test_a_whole_number_is_a_float_and_an_empty_list_is_a_list(make_node):
    table = (
        ParamSpec('gain', 'float', 1.0, '', 'Gain.'),
        ParamSpec('names', 'string[]', ('x',), '', 'Names.'),
    )
    parameters = Parameters(make_node('gain:=400', 'names:=[]'), table)
    parameters.require_valid()
    assert parameters['gain'] == 400.0 and isinstance(parameters['gain'], float)
    assert parameters['names'] == ()


@pytest.mark.parametrize(
    'given, value', [('no', 'no'), ('yes', 'yes'), ("'no'", 'no'), ('"yes"', 'yes'), ("''", '')]
)
def test_yes_and_no_are_words_with_quotes_or_without(make_node, given, value):
    """Without quotes YAML makes booleans of them, on the command line and in files."""
    table = (ParamSpec('helps', 'string', '', '', 'Helps.', choices=('', 'yes', 'no')),)
    parameters = Parameters(make_node(f'helps:={given}'), table)
    parameters.require_valid()
    assert parameters['helps'] == value


@pytest.mark.parametrize(
    'given, sentence',
    [
        ('law:=no', "'law' must be a string, got False"),
        ('timeout:=hello', "'timeout' must be a float, got 'hello'"),
        ('timeout:=5.0', r"^Parameter 'timeout' must lie in \[0.001, 0.2\] s, got 5.$"),
        ('timeout:=.nan', "^Parameter 'timeout' must be finite, got nan"),
        ('law:=magic', r"'law' must be one of \['pd', 'computed_torque'\], got 'magic'"),
        ('rate:=1.5', "'rate' must be an int, got 1.5"),
        ('rate:=true', "'rate' must be an int, got True"),
        ('enabled:=1', "'enabled' must be a bool, got 1"),
        ("limits:=['a']", r"'limits\[0\]' must be a float"),
        ('limits:=[1.0, -1.0]', r"'limits\[1\]' must lie in \[0, inf\] N m, got -1"),
        ('joints:=panda_joint1', r"'joints' must be a list \(string\[\]\)"),
    ],
)
def test_a_bad_override_is_reported_until_it_is_corrected(make_node, given, sentence):
    node = make_node(given)
    parameters = Parameters(node, TABLE)
    with pytest.raises(ParameterError, match=sentence):
        parameters.require_valid()
    name = given.split(':=')[0]
    spec = next(spec for spec in TABLE if spec.name == name)
    assert parameters[name] == spec.default
    if spec.change != START:
        good = list(spec.default) if spec.is_array else spec.default
        assert set_all(node, **{name: good}).successful
        parameters.require_valid()


def test_a_change_is_all_or_nothing(make_node):
    node, changes = make_node(), []
    parameters = Parameters(node, TABLE, changed=changes.append)
    before = parameters.snapshot()
    result = set_all(node, timeout=0.1, limits=[1.0, math.inf])
    assert not result.successful
    assert 'limits[1]' in result.reason
    assert parameters.snapshot() == before
    assert changes == []
    assert set_all(node, timeout=0.1, limits=[1.0, 2.0]).successful
    assert [(change['timeout'], change['limits']) for change in changes] == [(0.1, (1.0, 2.0))]


def test_values_that_do_not_go_together_are_refused_together(make_node):
    def judge(values):
        if values['timeout'] * values['rate'] < 2.0:
            raise ParameterError('timeout: shorter than two periods')

    node = make_node('rate:=100')
    parameters = Parameters(node, TABLE, judge)
    result = set_all(node, enabled=False, timeout=0.01)
    assert not result.successful and result.reason == 'timeout: shorter than two periods'
    assert (parameters['enabled'], parameters['timeout']) == (True, 0.02)


def test_lengths_count_once_the_robot_is_known(make_node):
    node = make_node('limits:=[1.0, 2.0, 3.0]')
    parameters = Parameters(node, TABLE)
    with pytest.raises(ParameterError, match=r'must have 0 or 2 entries .*2 joints.*got 3'):
        parameters.require_valid(joints=2)
    parameters.require_valid(joints=3)
    result = set_all(node, limits=[1.0, 2.0])
    assert not result.successful and '0 or 3 entries' in result.reason
    assert set_all(node, limits=[]).successful


def test_an_enormous_array_is_refused_by_its_size(make_node):
    node = make_node()
    Parameters(node, TABLE)
    result = set_all(node, limits=[1.0] * 100_000)
    assert not result.successful
    assert '100000 entries' in result.reason


@pytest.mark.parametrize('name', ['1st', 'a b', 'a//b', 'a/', '{what}', 'x' * 300])
def test_what_no_topic_can_be_called_is_refused(name):
    for judge in (topic_name, topic_name_or_nothing):
        spec = ParamSpec('topic', 'string', 'efforts', '', 'Where.', judge=judge)
        with pytest.raises(ParameterError, match="^Parameter 'topic' must be the name of a topic"):
            spec.convert(name)
        for good in ('efforts', '/arm/efforts', '~/efforts', '{node}/efforts'):
            assert spec.convert(good) == good


def test_no_topic_at_all_is_refused_where_one_is_needed():
    assert topic_name('') and not topic_name_or_nothing('')


def test_when_a_parameter_may_change(make_node):
    node = make_node()
    parameters = Parameters(node, TABLE)
    assert set_all(node, law='computed_torque').successful
    assert not set_all(node, rate=500).successful
    parameters.locked = True
    result = set_all(node, law='pd')
    assert not result.successful and 'takes effect at configure' in result.reason
    assert set_all(node, enabled=False).successful
    assert parameters['law'] == 'computed_torque'


def test_type_change_and_undeclaring_are_refused(make_node):
    node = make_node()
    parameters = Parameters(node, TABLE)
    assert not node.set_parameters([Parameter('timeout', value='fast')])[0].successful
    assert not node.set_parameters([Parameter('timeout')])[0].successful
    assert parameters['timeout'] == node.get_parameter('timeout').value == 0.02


def test_a_snapshot_does_not_change(make_node):
    node = make_node()
    parameters = Parameters(node, TABLE)
    snapshot = parameters.snapshot()
    set_all(node, timeout=0.1)
    assert snapshot['timeout'] == 0.02
    assert parameters.snapshot()['timeout'] == 0.1
    with pytest.raises(TypeError):
        snapshot['timeout'] = 0.2


def test_parameters_of_joints_come_and_go(make_node):
    node = make_node('gains.a.p:=7.0', 'gains.nobody.p:=1.0')
    parameters = Parameters(node, TABLE)
    gains = [
        ParamSpec(f'gains.{joint}.p', 'float', 100.0, '1/s^2', 'Gain.', change=LIVE)
        for joint in 'ab'
    ]
    parameters.declare(gains)
    assert parameters['gains.a.p'] == 7.0
    assert parameters['gains.b.p'] == 100.0
    assert parameters.unknown_overrides() == ['gains.nobody.p']
    parameters.undeclare(gains)
    assert not node.has_parameter('gains.a.p')
    parameters.declare(gains[:1])
    assert parameters['gains.a.p'] == 7.0


def test_the_table_is_rendered_line_by_line():
    lines = markdown_table(TABLE).splitlines()
    assert len(lines) == 2 + len(TABLE)
    assert lines[2] == ('| `rate` | int | Hz | `1000` | at start | Loop rate. From 1 to 10000. |')
    assert lines[4] == (
        "| `law` | string | - | `'pd'` | before configure | Law. "
        "One of `'pd'`, `'computed_torque'`. |"
    )
    assert lines[7].startswith('| `gravity` | float[] | m/s^2 | `[0.0, 0.0, -9.81]` |')


def test_descriptors_carry_unit_and_range(make_node):
    node = make_node()
    Parameters(node, TABLE)
    described = node.describe_parameter('timeout')
    assert described.description == 'Age limit. [s]'
    assert described.floating_point_range[0].to_value == 0.2
    assert node.describe_parameter('rate').read_only
    assert CONFIGURE in node.describe_parameter('law').additional_constraints


@pytest.mark.parametrize('kind', ['int', 'float'])
@pytest.mark.parametrize('value', [10**400, -(10**400), math.inf, -math.inf, math.nan])
def test_a_number_beyond_all_bounds_is_refused_with_a_sentence(kind, value):
    """A whole number of Python may be too long for a float, and for a message."""
    spec = ParamSpec('rate', kind, 1, 'Hz', 'Rate.', lower=0, upper=10)
    with pytest.raises(ParameterError, match="'rate' must be") as caught:
        spec.convert(value)
    assert len(str(caught.value)) < 200


def test_row_77_no_topic_of_a_node_has_a_global_name():
    """Two arms in namespaces would share it, and what it carries would move both."""
    from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
    from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS

    topics = [
        spec
        for spec in (*CONTROLLER_PARAMETERS, *SIMULATOR_PARAMETERS)
        if spec.name.endswith('_topic')
    ]
    assert len(topics) >= 4
    assert not [spec.name for spec in topics if spec.default.startswith('/')]
