# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The nodes under test of a simulated robot: no step is taken before they have reacted."""

import contextlib
import time

from robodyn_ros.errors import ParameterError
from robodyn_ros.ros.transport.local_link import local_link
from robodyn_ros.testing import ending
from robodyn_ros.testing.exchange import Exchange
from robodyn_ros.testing.hosting import Hosted
from robodyn_ros.testing.spun_node import SpunNode

AGAIN = 1e-4  # [s] of wall time between checks for an answer of a service


class NodesUnderTest:
    """Run nodes in step with a simulation.

    Attributes
    ----------
    exchange : Exchange
        What delivers their messages.
    hosted : list of Hosted
        The simulator, and the controller if there is one.
    is_advancing : bool
        Whether simulated time advances.
    """

    def __init__(self):
        self.exchange, self.is_advancing = Exchange(), False
        self.hosted: list[Hosted] = []
        self._spun: list[SpunNode] = []
        self._failure: BaseException | None = None

    @property
    def _session(self):
        return self.hosted[0].node.session

    def add(self, node) -> SpunNode:
        """Run a node by itself; the caller closes it.

        Parameters
        ----------
        node : rclpy Node
            The node.

        Raises
        ------
        AssertionError
            If the node is in another domain, or refuses `use_sim_time`.
        """
        own, other = (each.context.get_domain_id() for each in (self.hosted[0], node))
        assert own == other, (
            f"The node '{node.get_name()}' is in the ROS domain {other}, and the robot in {own}; "
            'expected the same one: call rclpy.init() after the fixture has started the robot.'
        )
        return SpunNode(node, self.exchange, self._session.run.time)

    def begin(self, spun: SpunNode):
        """Wait until a node is discovered, and let it react to the current state.

        Parameters
        ----------
        spun : SpunNode
            The node.

        Raises
        ------
        BaseException
            What a callback has raised.
        AssertionError
            If the node is not discovered in time.
        """
        self.exchange.await_discovery(spun.node)
        self._spun.append(spun)
        session = self._session
        link = local_link(self.hosted[0].node, session.values['lock_step.state_topic'])
        link.settle = self._react
        with session.lock, self.exchange.newcomer(spun.enqueue):
            session.repeat_states()
        self.calm()

    def calm(self):
        """Let the nodes do what is due, while simulated time stands still.

        Raises
        ------
        BaseException
            What a callback has raised.
        """
        with self._in_step():
            self._settle()

    def advance(self, nanoseconds: int) -> str:
        """Advance simulated time.

        Parameters
        ----------
        nanoseconds : int
            Duration [ns].

        Returns
        -------
        str
            '', or why the run ended earlier.

        Raises
        ------
        BaseException
            What a callback has raised.
        """
        self._failure, self.is_advancing = None, True
        try:
            with self._in_step():
                sentence = self._session.advance(nanoseconds)
        finally:
            self.is_advancing = False
        if self._failure is not None:
            raise self._failure
        return sentence

    @contextlib.contextmanager
    def _in_step(self):
        """Let the nodes work only when asked."""
        try:
            for node in self._spun:
                node.require_alive()
                node.follow(stepped=True)
            yield
        finally:
            for node in self._spun:
                node.follow(stepped=False)

    def _react(self):
        """Let the nodes react to a state; the simulator calls this."""
        if self.is_advancing:
            try:
                self._settle()
            except BaseException as error:
                self._failure = error
                raise ParameterError(f'A node under test has failed: {error!r}') from error

    def _settle(self):
        """Return when the nodes have nothing left to do at the current time."""
        now, pending = self._session.run.time, self.exchange.pending
        deadline = time.monotonic() + ending.END
        while True:
            pending[:] = [future for future in pending if not future.done()]
            worked = [each.settle(now, bool(pending)) for each in self._spun]
            worked += [each.settle() for each in self.hosted]
            if not any(worked):
                if not pending:
                    return
                time.sleep(AGAIN)
            assert time.monotonic() < deadline, (
                f'At {1e-9 * now:g} s of simulated time the nodes under test were still busy '
                f'after {ending.END:g} s; '
                + ('a service has not answered' if pending else 'their messages cause each other')
            )
