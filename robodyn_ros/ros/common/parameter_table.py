# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a node as one table that declares, checks and documents them.

A change is checked as a whole: type, length, finite, bounds, choice. If anything fails, the whole
change is refused with a sentence, and the current values stay. A node reads a frozen snapshot.
"""

import math
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Callable, Iterable, Mapping

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidTopicNameException
from rclpy.expand_topic_name import expand_topic_name
from rclpy.validate_full_topic_name import validate_full_topic_name

from robodyn_ros.errors import ParameterError, shorten

# When a parameter may change.
START, CONFIGURE, LIVE = 'at start', 'before configure', 'any time'

MAX_ENTRIES = 1000  # of an array; no robot has more joints

MOST_ALIKE = 3  # similar names suggested for an unknown one

LARGEST_NUMBER = 1.7e308  # a larger integer of Python does not convert to a float

_SCALARS = {'bool': (bool,), 'int': (int,), 'float': (float, int), 'string': (str,)}


@dataclass(frozen=True)
class ParamSpec:
    """One parameter: a row of the table.

    `name`: name in ROS.
    `type`: 'bool', 'int', 'float', 'string', or one of them followed by '[]'.
    `default`: default value.
    `unit`: unit of each entry; '' for none.
    `text`: description in one sentence.
    `lower`: smallest value accepted.
    `upper`: largest value accepted.
    `choices`: the only strings accepted; empty for any.
    `judge`: returns the rule that a string breaks; '' if it is acceptable.
    `change`: START, CONFIGURE (while the node is unconfigured) or LIVE.
    `lengths`: allowed numbers of entries of an array; empty for any. 'n' is the number of
      velocities, 'nq' that of positions.
    `off_with`: name of a parameter declared before; where that is given and not empty, the default
      is ''.
    """

    name: str
    type: str
    default: Any
    unit: str
    text: str
    lower: float = -math.inf
    upper: float = math.inf
    choices: tuple[str, ...] = ()
    judge: Callable[[str], str] = lambda _: ''
    change: str = CONFIGURE
    lengths: tuple[int | str, ...] = ()
    off_with: str = ''

    @property
    def is_array(self) -> bool:
        """Whether the value is a list."""
        return self.type.endswith('[]')

    def convert(self, value: Any) -> Any:
        """Return a value in the declared type: whole numbers of either type, and lists as tuples.

        `value`: value from ROS.
        Raises ParameterError: if the value is not acceptable.
        """
        if not self.is_array:
            return self._convert_entry(value, self.name)
        if value is None:  # the value that rcl reads from [] in a parameter file
            return ()
        if not hasattr(value, '__len__') or isinstance(value, (str, bytes)):
            raise ParameterError(
                f"Parameter '{self.name}' must be a list ({self.type}), got {shorten(value)}."
            )
        if len(value) > MAX_ENTRIES:
            raise ParameterError(
                f"Parameter '{self.name}' has {len(value)} entries; "
                f'at most {MAX_ENTRIES} are accepted.'
            )
        return tuple(
            self._convert_entry(entry, f'{self.name}[{k}]') for k, entry in enumerate(value)
        )

    def _convert_entry(self, value, name):
        scalar = self.type.removesuffix('[]')
        if isinstance(value, bool) and {'yes', 'no'} <= set(self.choices):
            value = 'yes' if value else 'no'  # YAML reads unquoted yes and no as booleans
        is_bool = isinstance(value, bool)  # in Python True is an int
        if scalar == 'int' and isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, _SCALARS[scalar]) or is_bool != (scalar == 'bool'):
            article = 'an' if scalar == 'int' else 'a'
            raise ParameterError(
                f"Parameter '{name}' must be {article} {scalar}, got {shorten(value)}."
            )
        if scalar in ('int', 'float'):
            return self._convert_number(value, name, scalar)
        if self.choices and value not in self.choices:
            raise ParameterError(
                f"Parameter '{name}' must be one of {list(self.choices)}, got {shorten(value)}."
            )
        complaint = self.judge(value) if scalar == 'string' else ''
        if complaint:
            raise ParameterError(f"Parameter '{name}' {complaint}, got {shorten(value)}.")
        return value

    def _convert_number(self, value, name, scalar):
        if abs(value) > LARGEST_NUMBER or not math.isfinite(value):
            raise ParameterError(f"Parameter '{name}' must be finite, got {shorten(value)}.")
        if not self.lower <= value <= self.upper:
            unit = f' {self.unit}' if self.unit else ''
            raise ParameterError(
                f"Parameter '{name}' must lie in [{self.lower:g}, {self.upper:g}]"
                f'{unit}, got {value:g}.'
            )
        return float(value) if scalar == 'float' else value

    def length_complaint(self, value: Any, sizes: Mapping[str, int]) -> str:
        """Return why an array does not fit a robot.

        `value`: converted value.
        `sizes`: number of velocities 'n' and of positions 'nq'.
        """
        if not self.is_array or not self.lengths:
            return ''
        valid = [sizes.get(each, each) if isinstance(each, str) else each for each in self.lengths]
        if len(value) in valid:
            return ''
        has = (
            f'{sizes["n"]} joints'
            if sizes['n'] == sizes['nq']
            else (f'{sizes["n"]} velocities and {sizes["nq"]} positions')
        )
        return (
            f"Parameter '{self.name}' must have {' or '.join(map(str, valid))} entries "
            f'(the robot has {has}), got {len(value)}.'
        )

    def descriptor(self) -> ParameterDescriptor:
        """Return the descriptor that `ros2 param describe` and the sliders of rqt show."""
        # `convert` checks the type: rclpy's static types refuse 400 for 400.0 and read [] as
        # bytes.
        described = ParameterDescriptor(
            name=self.name, dynamic_typing=True, read_only=self.change == START
        )
        described.description = self.text + (f' [{self.unit}]' if self.unit else '')
        described.additional_constraints = f'{self.type}; may change {self.change}'
        if self.choices:
            described.additional_constraints += f'; one of {list(self.choices)}'
        if self.type == 'float' and self.lower > -math.inf:
            described.floating_point_range = [
                FloatingPointRange(from_value=self.lower, to_value=self.upper)
            ]
        if self.type == 'int' and math.isfinite(self.lower) and math.isfinite(self.upper):
            described.integer_range = [
                IntegerRange(from_value=int(self.lower), to_value=int(self.upper), step=1)
            ]
        return described


def topic_name(value: str) -> str:
    """Check the name of a topic.

    `value`: the name.
    Returns the rule that it breaks; '' if it is valid.
    """
    try:
        validate_full_topic_name(expand_topic_name(value, 'node', '/'))
    except (ValueError, InvalidTopicNameException):
        return "must be the name of a topic, as in 'efforts' or '/arm/efforts'"
    return ''


def topic_name_or_nothing(value: str) -> str:
    """Check the name of a topic; the empty string is valid and means no topic.

    `value`: the name, or ''.
    Returns the rule that it breaks; '' if it is valid.
    """
    return topic_name(value) if value else ''


class Parameters:
    """The declared parameters of one node.

    `table` (iterable of ParamSpec): its parameters.
    `judge` (callable): called before a change with all values as they would be after it; raises
      ParameterError if they conflict.
    `changed` (callable): called with the new values after every accepted change.
    """

    def __init__(
        self,
        node,
        table: Iterable[ParamSpec],
        judge: Callable[[Mapping[str, Any]], None] = lambda _: None,
        changed: Callable[[Mapping[str, Any]], None] = lambda _: None,
    ):
        self.locked = False  # whether parameters that take effect at configure are refused
        self._sizes: dict[str, int] | None = None
        self._declaring = False
        self._node, self._judge, self._changed = node, judge, changed
        self.at_start: dict[str, Any] = {}  # values as declared, without later changes
        self._specs: dict[str, ParamSpec] = {}
        self._values: dict[str, Any] = {}
        self._refused: dict[str, str] = {}
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._apply)
        self.declare(table)

    def declare(self, table: Iterable[ParamSpec]):
        """Declare more parameters, with values from the command line or parameter files.

        A refused value is remembered for `require_valid`. Meanwhile the parameter has its default,
        and can be corrected with `ros2 param set`.

        `table`: the parameters.
        """
        self._declaring = True  # single declarations are neither judged nor applied
        for spec in table:
            if spec.off_with in self._node._parameter_overrides and self._values[spec.off_with]:
                spec = replace(spec, default='')
            self._specs[spec.name] = spec
            self._values[spec.name] = spec.convert(spec.default)
            try:
                value = _declare(self._node, spec, ignore_override=False)
                self._values[spec.name] = spec.convert(value)
            except Exception as error:  # rclpy has several exceptions for refused values
                _declare(self._node, spec, ignore_override=True)
                self._refused[spec.name] = self._complaint(spec, error)
            self.at_start[spec.name] = self._values[spec.name]
        self._declaring = False

    def _complaint(self, spec, error):
        """Return why a value at the start is refused; the sentence of rclpy if only it objects."""
        try:
            spec.convert(self._node._parameter_overrides[spec.name].value)
        except (ParameterError, KeyError) as ours:
            return str(error if isinstance(ours, KeyError) else ours)
        return str(error)

    def require_valid(self, joints: int | None = None, positions: int | None = None):
        """Raise if a value was refused or an array does not fit the robot.

        `joints`: number of the robot's velocities, None while it is unknown.
        `positions`: number of its positions; None if it equals `joints`.
        Raises ParameterError: with one sentence for every such value.
        """
        refused = list(self._refused.values())
        sizes = None if joints is None else {'n': joints, 'nq': positions or joints}
        if sizes is not None:
            complaints = [
                spec.length_complaint(self._values[name], sizes)
                for name, spec in self._specs.items()
            ]
            refused += [sentence for sentence in complaints if sentence]
        if refused:
            raise ParameterError(' '.join(refused))
        self._sizes = sizes

    def undeclare(self, table: Iterable[ParamSpec]):
        """Undeclare obsolete parameters, such as those of the joints of a former robot.

        `table`: the parameters.
        """
        for spec in table:
            self._specs.pop(spec.name, None)
            self._values.pop(spec.name, None)
            if self._node.has_parameter(spec.name):
                self._node.undeclare_parameter(spec.name)

    def snapshot(self) -> Mapping[str, Any]:
        """Return a read-only copy of all values by name."""
        return MappingProxyType(dict(self._values))

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def unknown_name_sentence(self, name: str) -> str:
        """Return a sentence about an unknown parameter that suggests similar names.

        For `gains.elbow.p` these are the gains of the robot's joints.

        `name`: the unknown name.
        """
        first, last = name.partition('.')[0], name.rpartition('.')[2]
        alike = [
            each
            for each in self._specs
            if each.startswith(f'{first}.') and each.endswith(f'.{last}') and name.count('.') > 1
        ]
        alike = alike or get_close_matches(name, self._specs, MOST_ALIKE)
        return f'There is no parameter {shorten(name)}' + (
            f'; expected one of {", ".join(alike)}.' if alike else '.'
        )

    def unknown_overrides(self) -> list[str]:
        """Return the names of given but undeclared parameters, mostly misspelt names."""
        given = getattr(self._node, '_parameter_overrides', {})
        return sorted(name for name in given if not self._node.has_parameter(name))

    def _check(self, parameters) -> SetParametersResult:
        try:
            changes = {
                parameter.name: self._convert(parameter)
                for parameter in parameters
                if parameter.name in self._specs
            }
            if self.locked and any(parameter.name == 'use_sim_time' for parameter in parameters):
                raise ParameterError(
                    "Parameter 'use_sim_time' takes effect at configure: clean the node up first."
                )
            if not self._declaring:
                self._judge(MappingProxyType({**self._values, **changes}))
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _convert(self, parameter) -> Any:
        spec = self._specs[parameter.name]
        if self.locked and spec.change != LIVE:
            raise ParameterError(
                f"Parameter '{spec.name}' takes effect at configure: clean the node up first."
            )
        if parameter.value is None and self._node.has_parameter(spec.name):
            raise ParameterError(f"Parameter '{spec.name}' cannot be undeclared.")
        value = spec.convert(parameter.value)
        complaint = '' if self._sizes is None else spec.length_complaint(value, self._sizes)
        if complaint:
            raise ParameterError(complaint)
        return value

    def _apply(self, parameters):
        if self._declaring:
            return
        ours = [parameter for parameter in parameters if parameter.name in self._specs]
        for parameter in ours:
            self._values[parameter.name] = self._specs[parameter.name].convert(parameter.value)
            self._refused.pop(parameter.name, None)
        if ours:
            self._changed(self.snapshot())


def _declare(node, spec: ParamSpec, ignore_override: bool):
    default = list(spec.default) if spec.is_array else spec.default
    return node.declare_parameter(spec.name, default, spec.descriptor(), ignore_override).value


def markdown_table(table: Iterable[ParamSpec]) -> str:
    """Return a table as Markdown, for the documents.

    `table`: the parameters.
    """
    lines = [
        '| Parameter | Type | Unit | Default | May change | Meaning |',
        '|---|---|---|---|---|---|',
    ]
    for spec in table:
        default = list(spec.default) if spec.is_array else spec.default
        default = f'`{default!r}`' if isinstance(default, (str, list)) else f'`{default}`'.lower()
        meaning = spec.text + _render_constraint(spec)
        lines.append(
            f'| `{spec.name}` | {spec.type} | {spec.unit or "-"} | {default} '
            f'| {spec.change} | {meaning} |'
        )
    return '\n'.join(lines) + '\n'


def _render_constraint(spec: ParamSpec) -> str:
    if spec.choices:
        return ' One of ' + ', '.join(f'`{choice!r}`' for choice in spec.choices) + '.'
    if math.isfinite(spec.lower) and math.isfinite(spec.upper):
        return f' From {spec.lower:g} to {spec.upper:g}.'
    if math.isfinite(spec.lower):
        return f' At least {spec.lower:g}.'
    return ''
