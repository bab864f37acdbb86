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


@pytest.mark.slow
@pytest.mark.skipif(not BROWSER, reason='there is no chromium')
def test_the_page_loads_with_a_slider_for_every_joint(tmp_path):
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
            assert served.wait(LONGEST) == 0
        finally:
            served.kill()


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
