# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recording is data: whatever is in it becomes numbers or a sentence, in bounded memory."""

import os
import re
import sys
import tracemalloc
import types
from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros.errors import ParameterError, RobodynError, ShapeError, UnknownNameError
from robodyn_ros.identification import joint_state_bag, read_csv, recording, write_csv
from robodyn_ros.identification.joint_state_bag import TYPE, read_bag

HEADER = 'time,a.position,a.effort'
GOOD = f'{HEADER}\n' + ''.join(f'{k},{k},{k}\n' for k in range(5))

CSV = {
    'empty': (b'', "no column time, a.position, a.effort; got 'an|an empty file"),
    'oversized field': (
        GOOD.encode() + b'"' + b'1' * 200_000 + b'",1,1\n',
        'line 7: field larger',
    ),
    'open quote': (GOOD.encode() + b'"5,5,5\n6,6,6\n', 'line 7: unexpected end'),
    'NUL': (GOOD.encode() + b'\0,5,5\n', 'line 7'),
    'binary': (bytes(range(256)) * 10, "can't decode byte"),
    'long line': (GOOD.encode() + b'5,' * 600_000, 'line 7: got more than 1000000 characters'),
    'ten million columns': (b'time,' * 10_000_000, 'line 1: got more than 1000000 characters'),
    'words': (GOOD.encode() + b'5,five,5\n', r"line 7: got \['5', 'five', '5'\]"),
    'too few': (GOOD.encode() + b'5\n', 'line 7'),
    'endless time': (f'{HEADER}\n-1e308,0,0\n1e308,0,0\n'.encode(), 'has a gap of inf s'),
    'long time': (GOOD.encode() + b'1e308,0,0\n', r'has a gap of 1e\+308 s'),
    'short time': (f'{HEADER}\n0,0,0\n5e-324,0,0\n1e-323,0,0\n'.encode(), 'has a gap of'),
    'infinite': (GOOD.encode() + b'inf,0,0\n', 'is not finite'),
    'back': (GOOD.encode() + b'1,0,0\n', 'time goes back'),
    'one instant': (f'{HEADER}\n1,0,0\n1,0,0\n'.encode(), 'has a gap of 0 s'),
    'a column twice': (b'time,a.position,a.effort,time\n', 'the column time twice'),
}


@pytest.mark.parametrize('kind', CSV)
@pytest.mark.filterwarnings('error')
def test_a_bad_csv_is_refused_with_a_sentence(tmp_path, kind):
    """And is not read into memory first: at most a few times the longest line."""
    content, words = CSV[kind]
    path = tmp_path / 'motion.csv'
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(RobodynError, match=words) as caught:
        read_csv(path, ['a'])
    assert tracemalloc.get_traced_memory()[1] < 30_000_000
    tracemalloc.stop()
    assert len(str(caught.value)) < 2000


def test_a_long_csv_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, 'MOST_NUMBERS', 12)
    path = tmp_path / 'motion.csv'
    path.write_text(GOOD)
    with pytest.raises(ShapeError, match='line 6: got more than 12 numbers'):
        read_csv(path, ['a'])


@pytest.mark.parametrize(
    'name', ['a,b', '=1+1', '+a', '-a', '@sum', 'a"b', "'a", "'=a", '$x$', '[red]', 'ä', 'a b']
)
def test_any_name_comes_back_from_a_csv(tmp_path, name):
    """And no spreadsheet takes it for a formula."""
    path, q = tmp_path / 'motion.csv', np.arange(4.0)[:, None]
    write_csv(path, [name, 'b'], np.arange(4.0), np.hstack((q, -q)), np.hstack((2 * q, 3 * q)))
    again = read_csv(path, ['b', name])
    np.testing.assert_array_equal(again.q, np.hstack((-q, q)))
    cells = re.findall(r'(?:^|,)"?(.)', path.read_text(encoding='utf-8').partition('\n')[0])
    assert not set(cells) & set('=+-@')


def test_a_sentence_moves_no_terminal(tmp_path):
    """Control characters, and marks that turn the direction of writing, are written out."""
    path = tmp_path / 'motion.csv'
    path.write_text('\x1b]0;owned\x07\u202etime,b\n')
    with pytest.raises(UnknownNameError) as caught:
        read_csv(path, ['a'])
    assert str(caught.value).isprintable() and r'\x1b' in str(caught.value)
    assert str(ShapeError('a\x1b[2J\nb')) == 'a\\x1b[2J\nb'


def test_names_are_no_formulas_in_a_picture(tmp_path):
    """An unbalanced or a wrong formula ended the command when its picture was drawn."""
    pytest.importorskip('matplotlib').use('Agg')
    from matplotlib import pyplot as plt

    from robodyn_ros.demonstration.plot_text import plain

    figure, axes = plt.subplots()
    for name in (r'$\frac$', '$x', '$$', r'$\input{/etc/passwd}$', '$a$ and $b$'):
        text = axes.set_title(plain(name))
        figure.canvas.draw()
        assert text.get_text() == name.replace('$', r'\$')
    plt.close(figure)


def test_names_are_no_markup_in_a_terminal(monkeypatch, capsys):
    """A robot called [/] ended the command, one called [link=...] became a link."""
    pytest.importorskip('rich')
    from robodyn_ros.cli import warmup

    monkeypatch.setattr(sys.stdout, 'isatty', lambda: True, raising=False)
    monkeypatch.setenv('COLUMNS', '200')
    monkeypatch.delenv('NO_COLOR', raising=False)
    name = 'law of [/] [red]robot[/red] [link=file:///etc]x[/link]'
    with warmup.progress_display() as progress:
        progress(name, 1, 2)
    shown = capsys.readouterr().out
    assert name in shown, 'part of the name was taken as markup'
    assert '\x1b]8;' not in shown, 'a name became a link'


# ------------------------------------------------------------------------------------------ bags


@pytest.fixture
def bag(tmp_path):
    """Return a bag of five joint states."""
    rosbag2 = pytest.importorskip('rosbags.rosbag2', reason='needs the package rosbags')
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    State, Header, Time = (
        store.types[name] for name in (TYPE, 'std_msgs/msg/Header', 'builtin_interfaces/msg/Time')
    )
    with rosbag2.Writer(tmp_path / 'bag', version=9) as writer:
        connection = writer.add_connection('/joint_states', TYPE, typestore=store)
        for k in range(5):
            header, value = Header(stamp=Time(sec=k, nanosec=0), frame_id=''), np.array([k, 0.5])
            message = State(header, ['a', 'b'], value, np.zeros(0), 2.0 * value)
            writer.write(connection, k, store.serialize_cdr(message, TYPE))
    return tmp_path / 'bag'


@pytest.mark.parametrize('name', ['../other/bag.db3', '/etc/passwd', 'sub/../bag.db3', '..'])
def test_a_bag_names_no_files_elsewhere(bag, name):
    """Whichever reader would follow it."""
    metadata = bag / 'metadata.yaml'
    metadata.write_text(metadata.read_text().replace('- bag.db3', f'- "{name}"'))
    with pytest.raises(ParameterError, match='expected files of its own folder'):
        read_bag(bag, ['a'])


@pytest.mark.parametrize(
    'text',
    [
        '',
        '[',
        '{}',
        'a: &a [*a]',
        '\x00',
        '!!python/object/apply:os.system ["false"]',
        'a' * 10**7,
    ],
    ids=range(7),
)
def test_bad_metadata_is_refused_with_a_sentence(bag, text):
    (bag / 'metadata.yaml').write_text(text)
    with pytest.raises(ParameterError, match='expected the metadata of a rosbag2'):
        read_bag(bag, ['a'])


def test_a_bag_brings_no_types_along(bag, monkeypatch):
    """Messages are read as the type is known here: nothing that a bag defines is compiled."""
    from rosbags import typesys

    stores = []
    make = typesys.get_typestore
    monkeypatch.setattr(
        typesys, 'get_typestore', lambda kind: stores.append(make(kind)) or stores[0]
    )
    joint_state_bag._known_types.cache_clear()  # another test may have made them
    read_bag(bag, ['a'])
    (store,) = stores
    assert set(store.types) == set(make(typesys.Stores.ROS2_JAZZY).types)


def test_the_reader_of_ros_gives_equal_arrays(bag, monkeypatch):
    """rosbag2_py is not on this index: its interface stands in, over the very same bytes."""
    pytest.importorskip('rclpy')
    from rosbags.rosbag2 import Reader

    from robodyn_ros.ros.common import rosbag2_messages

    class SequentialReader:
        def open(self, storage, converter):
            assert converter == ('cdr', 'cdr')
            self.bag = Reader(storage.uri)
            self.bag.open()

        def get_all_topics_and_types(self):
            return [SimpleNamespace(name=c.topic, type=c.msgtype) for c in self.bag.connections]

        def set_filter(self, wanted):
            self.left = [(c.topic, raw, t) for c, t, raw in self.bag.messages()
                         if c.topic in wanted.topics]  # fmt: skip

        def has_next(self):
            return bool(self.left)

        def read_next(self):
            return self.left.pop(0)

    stand_in = types.ModuleType('rosbag2_py')
    stand_in.SequentialReader = SequentialReader
    stand_in.ConverterOptions = lambda *formats: formats
    stand_in.StorageFilter = stand_in.StorageOptions = lambda **fields: SimpleNamespace(**fields)
    stand_in.__spec__ = SimpleNamespace()
    expected = read_bag(bag, ['b', 'a'])
    monkeypatch.setitem(sys.modules, 'rosbag2_py', stand_in)
    monkeypatch.setitem(sys.modules, 'rosbags', types.ModuleType('rosbags'))
    monkeypatch.setattr(
        rosbag2_messages.importlib.util,
        'find_spec',
        lambda name: None if name == 'rosbags' else stand_in,
    )
    found = read_bag(bag, ['b', 'a'], messages=rosbag2_messages.messages_of_ros())
    assert found.rate == expected.rate
    np.testing.assert_array_equal(found.q, expected.q)
    np.testing.assert_array_equal(found.tau, expected.tau)


@pytest.mark.parametrize('kind', ['pipe', 'device', 'folder'])
@pytest.mark.parametrize('place', ['motion.csv', 'motion.mcap', 'bag/metadata.yaml'])
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path, kind, place):
    """Such are a pipe without a writer, and a device without an end."""
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    if kind == 'pipe':
        os.mkfifo(path)
    elif kind == 'device':
        path.symlink_to('/dev/zero')
    else:
        path.mkdir()
    with pytest.raises(RobodynError, match='expected a'):
        if path.suffix == '.csv':
            read_csv(path, ['a'])
        else:
            read_bag(path.parent if path.suffix == '.yaml' else path, ['a'])
