# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter services that refuse large requests, so that none costs the control loop a cycle."""

from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.parameter import Parameter
from rclpy.parameter_service import ParameterService
from rclpy.qos import qos_profile_parameters

from robodyn_ros.errors import shorten
from robodyn_ros.ros.transport.bounded_service import MOST_TAKEN, BoundedService

MOST_OCTETS = 10_000  # of a request: enough for a hundred parameters
MOST_PARAMETERS = 100  # of a request, as each is checked together with all others

_COUNTED = {
    SetParameters: 'parameters',
    SetParametersAtomically: 'parameters',
    GetParameters: 'names',
    DescribeParameters: 'names',
    GetParameterTypes: 'names',
    ListParameters: 'prefixes',
}


class BoundedParameterService(ParameterService):
    """The parameter services of rclpy, each as a BoundedService.

    `node` (ManagedNode): node made with start_parameter_services=False, which has `parameters`.
    """

    def __init__(self, node):
        self._real = node
        super().__init__(self)
        self._node_weak_ref = lambda: node

    # To rclpy's constructor this object is the node: it calls these two methods.

    def get_name(self) -> str:
        """Return the name of the node."""
        return self._real.get_name()

    def create_service(self, kind, name: str, answer, *, qos_profile=qos_profile_parameters):
        """Create a bounded service.

        `kind` (type): type of the service.
        `name`: name of the service.
        `answer` (callable): takes request and response, and returns the response.
        `qos_profile` (QoSProfile): quality of service.
        """

        def counted(request, response):
            count = len(getattr(request, _COUNTED[kind]))
            if count > MOST_PARAMETERS:
                _refuse(
                    response,
                    f'The request has {count} {_COUNTED[kind]}; at most '
                    f'{MOST_PARAMETERS} are accepted.',
                )
                return response
            if sentence := _wrong_type(request):
                _refuse(response, sentence)
                return response
            return self._with_suggestions(request, answer(request, response))

        return BoundedService(
            self._real, kind, name, counted, _refuse, MOST_OCTETS, qos_profile, MOST_TAKEN
        )

    def _with_suggestions(self, request, response):
        """Let refusals of unknown parameters suggest similar names."""
        unknown = [
            self._real.parameters.unknown_name_sentence(parameter.name)
            if not self._real.has_parameter(parameter.name)
            else ''
            for parameter in getattr(request, 'parameters', ())
        ]
        if isinstance(response, SetParameters.Response):
            for result, sentence in zip(response.results, unknown):
                result.reason = sentence or result.reason
        elif isinstance(response, SetParametersAtomically.Response) and any(unknown):
            response.result.reason = ' '.join(filter(None, unknown))
        return response


def _wrong_type(request) -> str:
    """Return why the type of a value is invalid; '' if all are valid."""
    types = {kind.value: kind.name.lower() for kind in Parameter.Type}
    for parameter in getattr(request, 'parameters', ()):
        if parameter.value.type not in types:
            return (
                f'The value of {shorten(parameter.name)} has the type {parameter.value.type}; '
                f'valid: {", ".join(f"{number} ({name})" for number, name in types.items())}.'
            )
    return ''


def _refuse(response, sentence: str):
    """Write the reason into the response if its type has a field for it."""
    refused = SetParametersResult(successful=False, reason=sentence)
    if isinstance(response, SetParameters.Response):
        response.results = [refused]
    elif isinstance(response, SetParametersAtomically.Response):
        response.result = refused
