# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page in the browser: sliders, choices of the display, and a motion that plays."""

import contextlib
import functools
import io
import threading
import time

import numpy as np

from robodyn_ros.view.drawing import Drawing
from robodyn_ros.view.postures import Postures

RATE = 30.0  # [Hz] of postures that are played or followed
SLIDER_STEPS = 2000
SPEEDS = ('0.1', '0.25', '0.5', '1', '2', '5')


class Page:
    """A web page that shows a robot, served until it is closed.

    `robot` (Robot): the robot. The page has it alone: a robot serves one thread at a time.
    `scene` (Scene): shapes of the robot.
    `arrows` (TorqueArrows): arrows of the robot.
    `scales` (Scales): sizes of arrows and ellipsoid.
    `frame`: frame of the end effector at the beginning.
    `folder` (path): where relative paths of meshes begin.
    `host`, `port` (str, int): where it is served. A port in use is counted up.
    Raises ModuleNotFoundError: if viser is not installed.
    Raises OSError: if nothing can be served there.
    """

    def __init__(self, robot, scene, arrows, scales, frame, folder, host='127.0.0.1', port=8080):
        import viser

        self._robot, self._scales = robot, scales
        self._postures, self._lock = Postures(robot), threading.RLock()
        self._sliders, self._visitors, self._motion = [], 0, None
        with contextlib.redirect_stdout(io.StringIO()):  # viser has no option to print nothing
            self._server = viser.ViserServer(host, port, label=robot.name, verbose=False)
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        self._server.gui.main_panel.dock_right()
        # a visitor can send the request without the button; it would open the page to the internet
        self._server.request_share_url = lambda verbose=True: None
        self._drawing = Drawing(self._server.scene, robot, scene, arrows, scales, frame, folder)
        self._server.initial_camera.position = scales.reach * np.array([1.2, -1.2, 0.9])
        self._server.initial_camera.look_at = scales.reach * np.array([0.1, 0.0, 0.3])
        self._server.on_client_connect(self._count)
        self._add_controls(frame)
        self.show(self._postures.posture(self._postures.middle()))

    @property
    def address(self):
        """Return the address of the page."""
        host = self._server.get_host()
        host = f'[{host}]' if ':' in host else host
        return f'http://{host}:{self._server.get_port()}'

    @property
    def notes(self):
        """Return sentences about missing shapes."""
        return tuple(self._drawing.notes)

    @property
    def is_left(self):
        """Return whether there were visitors and all have left."""
        return self._visitors > 0 and not self._server.get_clients()

    def close(self):
        """Stop serving the page."""
        self._server.stop()

    def show(self, q):
        """Show a posture, sliders included."""
        with self._lock:
            s = np.clip(
                self._postures.coordinates(q), self._postures.lower, self._postures.upper
            ).tolist()
            with self._server.atomic():
                for slider, value in zip(self._sliders, s):
                    slider.value = value
                self._draw(q)

    def add_motion(self, motion):
        """Add a Motion and what plays it.

        `motion` (Motion): positions (nv,) of the robot over time; the robot has no quaternions.
        """
        gui = self._server.gui
        with gui.add_folder('motion'):
            self._playing = gui.add_checkbox('play', True)
            self._speed = gui.add_dropdown('speed', SPEEDS, initial_value='1')
            step = motion.duration / SLIDER_STEPS or 1.0
            self._time = gui.add_slider('time [s]', 0.0, motion.duration or step, step, 0.0)
        self._motion = motion
        self._time.on_update(lambda event: event.client and self._show_time())
        self._show_time()

    def play(self, positions=lambda: None, leave=lambda: False):
        """Play the motion and follow positions until `leave`.

        `positions` (callable): returns positions (nv,) to show, or None while there are none.
        `leave` (callable): returns whether to end; asked RATE times a second.
        """
        last = time.monotonic()
        while not leave():
            time.sleep(1.0 / RATE)
            now = time.monotonic()
            if self._motion and self._playing.value:
                later = self._time.value + (now - last) * float(self._speed.value)
                self._time.value = later if later <= self._motion.duration else 0.0
                self._show_time()
            last, found = now, positions()
            if found is not None:
                self._show_made(functools.partial(self._configuration, found))

    def _show_time(self):
        """Show the posture of the time slider."""
        t = min(max(self._time.value, 0.0), self._motion.duration)
        self._show_made(lambda: self._configuration(self._motion.at(t)))

    def _configuration(self, positions):
        q = self._robot.configuration.neutral()
        q[self._robot.model.coordinates] = positions
        return q

    def _count(self, _client):
        self._visitors += 1

    def _add_controls(self, frame):
        gui, postures = self._server.gui, self._postures
        with gui.add_folder('posture'):
            for name, unit, low, high, value in zip(
                self._robot.joint_names,
                postures.units,
                postures.lower.tolist(),
                postures.upper.tolist(),
                postures.middle().tolist(),
            ):
                high = high if high > low else low + 1e-3  # a joint whose limits are one position
                slider = gui.add_slider(
                    f'{name} [{unit}]', low, high, (high - low) / SLIDER_STEPS, value
                )
                slider.on_update(self._slide)
                self._sliders.append(slider)
            gui.add_button('middle').on_click(
                lambda _: self._show_made(lambda: postures.posture(postures.middle()))
            )
            gui.add_button('random').on_click(
                lambda _: self._show_made(self._robot.configuration.random)
            )
        with gui.add_folder('shown'):
            chosen = gui.add_dropdown(
                'end effector', tuple(self._robot.frames), initial_value=frame
            )
            chosen.on_update(lambda _: self._choose(chosen.value))
            for name, nodes in self._drawing.layers.items():
                box = gui.add_checkbox(name, name != 'skeleton' or not self._drawing.has_shapes)
                box.on_update(lambda _, box=box, nodes=nodes: _set_visible(nodes, box.value))
                _set_visible(nodes, box.value)
        with gui.add_folder('numbers'):
            self._numbers = gui.add_markdown('')

    def _show_made(self, make):
        """Show the posture that `make` returns, under the lock of the robot."""
        with self._lock:
            self.show(make())

    def _slide(self, event):
        """Show the posture of the sliders, where a visitor moved one."""
        if event.client is None:
            return
        with self._lock, self._server.atomic():
            self._draw(self._postures.posture(np.array([each.value for each in self._sliders])))

    def _choose(self, frame):
        with self._lock:
            self._drawing.frame = frame
            self._draw(self._q)

    def _draw(self, q):
        self._q = q
        self._drawing.draw(q)
        self._numbers.content = self._told()

    def _told(self):
        """Return a text with torques and inertia of the posture, and the scales."""
        if self._drawing.ellipsoid is None:
            return 'The robot has kinematics alone: there are no torques.'
        rows = [
            f'| {name} | {torque:.4g} |'
            for name, torque in zip(self._robot.joint_names, self._drawing.torques)
        ]
        masses = ', '.join(f'{mass:.4g}' for mass in self._drawing.ellipsoid.masses)
        return '\n'.join(
            (
                f'Inertia of {self._drawing.frame}: {masses} kg; '
                f'0.1 m stands for {0.1 * self._scales.mass:g} kg.',
                '',
                f'Gravity torques [N m or N]; 0.1 m stands for {0.1 * self._scales.torque:g}.',
                '',
                '| joint | torque |',
                '|---|---|',
                *rows,
            )
        )


def _set_visible(nodes, value):
    for node in nodes:
        node.visible = value
