# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page loads in a real browser, and the command ends when the browser leaves."""

import contextlib
import itertools
import json
import re
import shutil
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.model import urdf
from robodyn_ros.model.sources.geometry import shapes
from robodyn_ros.view.page import Page
from robodyn_ros.view.scales import scales_of
from robodyn_ros.view.scene import Scene
from robodyn_ros.view.torque_arrows import TorqueArrows
from support.processes import ROOT

pytest.importorskip('viser', reason='viser is not installed')
msgspec = pytest.importorskip('msgspec', reason='viser speaks otherwise')
BROWSER = shutil.which('chromium')
OPTIONS = (
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking',
    '--enable-unsafe-swiftshader', '--remote-debugging-port=0', '--remote-allow-origins=*',
)  # fmt: skip
LONGEST = 120.0  # [s] on a machine with other work


@contextlib.contextmanager
def browsing(address, folder):
    """Yield a function that evaluates an expression in a page of a real browser."""
    from websockets.sync.client import connect

    arguments = [BROWSER, *OPTIONS, f'--user-data-dir={folder}', address]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as browser:
        try:
            told = (re.search(r'ws://(127\.0\.0\.1:\d+)/', line) for line in browser.stderr)
            host = next(filter(None, told))[1]
            with urllib.request.urlopen(f'http://{host}/json/list', timeout=LONGEST) as pages:
                page = next(each for each in json.load(pages) if each['type'] == 'page')
            with connect(page['webSocketDebuggerUrl'], max_size=None) as tools:
                numbers = itertools.count(1)

                def evaluate(expression):
                    number = next(numbers)
                    call = {'id': number, 'method': 'Runtime.evaluate'}
                    tools.send(json.dumps(call | {'params': {'expression': expression}}))
                    while (answer := json.loads(tools.recv(LONGEST))).get('id') != number:
                        pass
                    return answer['result']['result'].get('value')

                yield evaluate
        finally:
            browser.kill()


def torques(evaluate):
    """Return the gravity torques that the page shows, by joint."""
    rows = evaluate("JSON.stringify([...document.querySelectorAll('tr')].map(r => r.innerText))")
    return dict(row.split() for row in json.loads(rows)[1:])


@pytest.mark.slow
@pytest.mark.skipif(not BROWSER, reason='there is no chromium')
def test_the_page_has_a_slider_for_every_joint_that_changes_the_torques(tmp_path):
    command = [sys.executable, '-m', 'robodyn_ros', 'view', str(example('two_link')), '--once']
    with subprocess.Popen(
        [*command, '--port', '8190'], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as served:
        try:
            address = re.search(r'http://127\.0\.0\.1:\d+', served.stdout.readline())[0]
            with browsing(address, tmp_path) as evaluate:
                deadline, missing = time.monotonic() + LONGEST, ['everything']
                while missing and time.monotonic() < deadline:
                    page = evaluate('document.documentElement.innerHTML') or ''
                    wanted = '<canvas', 'joint1 [rad]', 'joint2 [rad]', 'gravity torques'
                    missing = [text for text in wanted if text not in page]
                    time.sleep(0.2)
                assert missing == []
                before = torques(evaluate)
                press = "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})"
                slider = "document.querySelector('[role=slider]')"
                while torques(evaluate) == before and time.monotonic() < deadline:
                    evaluate(f'{slider}.dispatchEvent({press})')  # a step, too small for 4 digits
                    time.sleep(0.05)
                assert torques(evaluate) != before and {*before} == {'joint1', 'joint2'}
            assert served.wait(LONGEST) == 0
        finally:
            served.kill()


@pytest.fixture
def shown():
    """Return a robot, its page, and the nodes of the page's scene by name."""
    path = example('two_link')
    robot, joints = Robot.from_urdf(path), urdf.parse(path).joints
    scene, arrows = Scene(robot, shapes(path), joints), TorqueArrows(robot, joints)
    page = Page(robot, scene, arrows, scales_of(robot, 'tool0'), 'tool0', path.parent, port=8765)
    yield Robot.from_urdf(path), page, page._server.scene._handle_from_node_name
    page.close()


def move_slider(page, name, value):
    """Move a slider as a visitor does, by the message of a browser."""
    from viser import __version__
    from viser._messages import GuiUpdateMessage, ViewerCameraMessage
    from websockets.sync.client import connect

    sliders = page._server.gui._gui_input_handle_from_uuid
    uuid = next(key for key, each in sliders.items() if each.label == name)
    up, camera = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)
    looks = ViewerCameraMessage(camera, up, 1.0, 0.01, 100.0, 480, 640, (0.0, 0.0, 0.0), up)
    moves = GuiUpdateMessage(uuid, {'value': value})
    address = page.address.replace('http', 'ws')
    with connect(address, subprotocols=[f'viser-v{__version__}'], max_size=None) as visitor:
        deadline, before = time.monotonic() + LONGEST, page._numbers.content
        for message in (looks, moves):  # a visitor counts from its first camera on
            visitor.send(msgspec.msgpack.encode(message.as_serializable_dict()))
        while page._numbers.content == before and time.monotonic() < deadline:
            time.sleep(0.01)
    assert page._numbers.content != before


def test_a_moved_slider_changes_the_torques_and_moves_the_links(shown):
    """The same in words, in arrows and in the poses of the shapes; the scene is not empty."""
    robot, page, nodes = shown
    move_slider(page, 'joint1 [rad]', 0.5)
    q = np.array([slider.value for slider in page._sliders])
    assert abs(q[0] - 0.5) < 1e-9
    for name, torque in zip(robot.joint_names, robot.gravity_torque(q)):
        assert f'| {name} | {torque:.4g} |' in page._numbers.content
    drawn = [name for name in nodes if name.startswith('/shapes/')]
    described = shapes(example('two_link'))
    assert len(drawn) == len(described) > 0
    for k, shape in enumerate(described):
        link = robot.frames.poses(q, [shape.link])[0]
        place = link[:3, :3] @ shape.placement.translation + link[:3, 3]
        np.testing.assert_allclose(nodes[f'/shapes/{k}'].position, place, atol=1e-9)
    arrows = np.diff(nodes['/torques'].points, axis=1)[:, 0]
    lengths = np.linalg.norm(arrows, axis=1)
    torques = np.abs(robot.gravity_torque(q))
    np.testing.assert_allclose(lengths / lengths.max(), torques / torques.max(), atol=1e-5)


def test_a_robot_without_inertias_is_shown_without_torques():
    """Its sliders move the links all the same; a note says what is not shown."""
    text = re.sub('<inertial>.*?</inertial>', '', example('two_link').read_text(), flags=re.DOTALL)
    robot, joints = Robot.from_urdf(text), urdf.parse(text).joints
    scene, arrows = Scene(robot, shapes(text), joints), TorqueArrows(robot, joints)
    page = Page(robot, scene, arrows, scales_of(robot, 'tool0'), 'tool0', '.', port=8765)
    try:
        assert page.notes == ('no gravity torques are shown: the robot has kinematics alone',)
        assert page._numbers.content == 'The robot has kinematics alone: there are no torques.'
        q = np.array((0.4, -0.7))
        page.show(q)
        tool = page._server.scene._handle_from_node_name['/end_effector']
        np.testing.assert_allclose(tool.position, robot.pose(q, 'tool0')[:3, 3], atol=1e-9)
        assert not page._server.scene._handle_from_node_name['/ellipsoid'].visible
    finally:
        page.close()


def test_no_visitor_opens_the_page_to_the_internet(monkeypatch):
    """The message of the button that is not shown has no effect."""
    from viser.infra._infra import WebsockMessageHandler

    opened, handlers = [], {}
    monkeypatch.setattr('viser._viser.ViserTunnel', lambda *_, **__: opened.append(1))
    register = WebsockMessageHandler.register_handler

    def registered(server, kind, handler):
        handlers[kind.__name__] = handler
        register(server, kind, handler)

    monkeypatch.setattr(WebsockMessageHandler, 'register_handler', registered)
    path = example('two_link')
    robot, joints = Robot.from_urdf(path), urdf.parse(path).joints
    scene, arrows = Scene(robot, shapes(path), joints), TorqueArrows(robot, joints)
    page = Page(robot, scene, arrows, scales_of(robot, 'tool0'), 'tool0', path.parent, port=8765)
    try:
        handlers['ShareUrlRequest'](0, None)
        page._server._thread_executor.shutdown()  # which waits for the handler
        assert not opened
    finally:
        page.close()
