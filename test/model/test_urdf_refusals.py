# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever comes in, the answer is a model or a sentence: never another error, never a NaN."""

import subprocess
import sys
import textwrap
from pathlib import Path
from xml.parsers import expat

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.model import urdf, xml_text
from robodyn_ros.model.build import build
from support.patience import PATIENCE

GOOD = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.005"/></inertial></link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.3" rpy="0 0 0"/>
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="30"/><dynamics damping="0.1"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0 0 0.2"/>
    <parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="2" effort="10"/></joint>
</robot>"""

EXTRA = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint></robot>'

# What is replaced, by what, and the words the sentence must have.
CHANGES = {
    'nan': ('"2"/>', '"nan"/>', ["link 'upper' inertial mass", "'value'", 'nan']),
    'inf': ('xyz="0 0 0.3"', 'xyz="0 0 inf"', ["joint 'shoulder' origin", "'xyz'", 'inf']),
    'overflow': ('ixx="0.02"', 'ixx="1e400"', ["link 'upper' inertial inertia", "'ixx'"]),
    'decimal comma': ('effort="30"', 'effort="1,0"', ["joint 'shoulder' limit", "'effort'"]),
    'hexadecimal': ('velocity="2"', 'velocity="0x10"', ["'velocity'", '0x10']),
    'underscore': ('damping="0.1"', 'damping="1_000"', ["joint 'shoulder' dynamics"]),
    'full-width digit': ('damping="0.1"', 'damping="\uff11"', ["'damping'"]),
    'empty number': ('value="2"', 'value=""', ["'value'"]),
    'two numbers': ('xyz="0 1 0"', 'xyz="0 1"', ["joint 'shoulder' axis", 'three numbers']),
    'four numbers': ('xyz="0 1 0"', 'xyz="0 1 0 0"', ['three numbers']),
    'no type': (' type="revolute"', '', ["joint 'shoulder'", "'type'"]),
    'odd type': ('"revolute"', '"spherical"', ["joint 'shoulder'", 'spherical', 'revolute']),
    'no parent': ('<parent link="base"/>', '', ["joint 'shoulder'", '<parent>']),
    'no child link': ('<child link="upper"/>', '<child/>', ["joint 'shoulder' child", "'link'"]),
    'no joint name': ('<joint name="shoulder"', '<joint', ['<joint>', "'name'"]),
    'no robot name': ('<robot name="arm">', '<robot>', ['<robot>', "'name'"]),
    'empty name': ('name="base"', 'name=" "', ['<link>', 'printable']),
    'control character': ('name="base"', 'name="ba&#10;se"', ['<link>', 'printable']),
    'long name': ('name="base"', f'name="{"b" * 5000}"', ['<link>', '1 to 200']),
    'xacro name': ('name="base"', 'name="${prefix}base"', ['xacro']),
    'negative mass': ('"2"/>', '"-2"/>', ["link 'upper'", 'mass is -2']),
    'tiny mass': ('"2"/>', '"1e-300"/>', ["link 'upper'", '1e-300']),
    'huge mass': ('"2"/>', '"1e300"/>', ["link 'upper'", '1e+300']),
    'huge inertia': ('ixx="0.02"', 'ixx="1e300"', ["link 'upper'", '1e+300']),
    'negative moment': ('ixx="0.02"', 'ixx="-0.02"', ["link 'upper'", 'principal moments']),
    'indefinite': ('ixy="0"', 'ixy="0.5"', ["link 'upper'", 'principal moments']),
    'far com': ('xyz="0 0 0.1"', 'xyz="0 0 1e300"', ["link 'upper'", 'centre of mass']),
    'far joint': ('xyz="0 0 0.3"', 'xyz="1e300 0 0"', ["joint 'shoulder'", 'origin']),
    'zero axis': ('xyz="0 1 0"', 'xyz="0 0 0"', ["joint 'shoulder'", 'axis']),
    'negative damping': ('damping="0.1"', 'damping="-0.1"', ['damping -0.1']),
    'unknown parent': (
        '<parent link="base"/>',
        '<parent link="nobody"/>',
        ["joint 'shoulder'", "parent link 'nobody'"],
    ),
    'unknown child': (
        '<child link="upper"/>',
        '<child link="nobody"/>',
        ["joint 'shoulder'", "child link 'nobody'"],
    ),
    'self-parent': (
        '<parent link="base"/>',
        '<parent link="upper"/>',
        ["joint 'shoulder'", 'itself'],
    ),
    'duplicate link': (
        '<link name="base"/>',
        '<link name="base"/><link name="base"/>',
        ['link names', "'base'"],
    ),
    'duplicate joint': ('name="elbow"', 'name="shoulder"', ['joint names', "'shoulder'"]),
    'orphan': (
        '<link name="base"/>',
        '<link name="base"/><link name="orphan"/>',
        ["'base'", "'orphan'", 'one root'],
    ),
    'two parents': (
        '</robot>',
        EXTRA.format('weld', 'base', 'lower'),
        ["link 'lower'", "'elbow'", "'weld'", 'loop'],
    ),
    'closed loop': ('</robot>', EXTRA.format('weld', 'lower', 'base'), ['loop']),
    'detached loop': (
        '</robot>',
        '<link name="a"/><link name="b"/>'
        + EXTRA.format('ab', 'a', 'b').replace('</robot>', '')
        + EXTRA.format('ba', 'b', 'a'),
        ["'ab'", "'ba'", 'loop'],
    ),
    'floating': ('"revolute"', '"floating"', ["joint 'shoulder'", 'floating', 'lock']),
    'planar': ('"revolute"', '"planar"', ["joint 'shoulder'", 'planar', 'lock']),
    'mimic': ('<axis', '<mimic joint="nobody"/><axis', ["joint 'shoulder'", "'nobody'", 'lock']),
    'xacro element': (
        '</robot>',
        '<xacro:include filename="a.xacro"/></robot>',
        ['xacro elements', 'whose name ends with .xacro'],
    ),
    'xacro expression': (
        'ixx="0.02"',
        'ixx="${mass}"',
        ["'ixx'", '${mass}', 'as xacro writes it'],
    ),
    'other root': ('robot', 'sdf', ['<sdf>', '<robot>']),
    'cut short': ('</robot>', '', ['not well-formed', 'line']),
}


def read(text):
    return build(urdf.parse(text))


def test_the_unchanged_robot_is_accepted_without_a_warning():
    assert read(GOOD).report.findings == ()


@pytest.mark.parametrize('change', CHANGES)
def test_the_sentence_names_the_element(change):
    old, new, words = CHANGES[change]
    count = -1 if change == 'other root' else 1
    assert old in GOOD
    with pytest.raises(ModelError) as caught:
        read(GOOD.replace(old, new, count))
    sentence = str(caught.value)
    assert [word for word in words if word not in sentence] == [], sentence
    assert len(sentence) < 500


def test_a_joint_name_that_occurs_twice_is_named():
    """Not the links that seem to lack a parent, if one of the two joints is forgotten."""
    joint = """<joint name="twin" type="revolute"><parent link="{}"/><child link="{}"/>
<limit lower="-1" upper="1" velocity="1" effort="9"/></joint>"""
    links = ''.join(f'<link name="{name}"/>' for name in 'abc')
    text = f'<robot name="r">{links}{joint.format("a", "b")}{joint.format("b", "c")}</robot>'
    with pytest.raises(ModelError, match="joint names 'twin' are used more than once"):
        Robot.from_urdf(text)


def test_a_malformed_file_is_named(tmp_path):
    """A text has no name."""
    path = tmp_path / 'my arm.urdf'
    path.write_text(GOOD.replace('</robot>', ''))
    with pytest.raises(ModelError, match="^file '.*my arm.urdf': the description is not well-"):
        read(path)
    with pytest.raises(ModelError, match='^the description is not well-formed'):
        read(path.read_text())


@pytest.mark.parametrize(
    ('source', 'word'),
    [
        ('', 'not well-formed'),
        ('   ', 'not well-formed'),
        ('<', 'not well-formed'),
        ('no such file.urdf', 'nor a file'),
        ('/', 'nor a file'),
        ('/dev/zero', 'nor a file'),
        ('a\0b', 'nor a file'),
        (b'\x89PNG\r\n\x1a\n\x00', 'binary'),
        (b'\x7fELF<\xff', 'byte 0xff'),
        (GOOD.encode('utf-16-le'), 'UTF-16'),
        (GOOD.encode('utf-32'), 'UTF-16'),
        (GOOD.replace('arm', '\ud800'), 'not UTF-8'),
        (None, 'NoneType'),
        (3, 'int'),
        ('<robot name="empty"/>', 'no links'),
        ('x' * 100_000, 'nor a file'),
    ],
)
def test_what_is_not_a_urdf_is_refused(source, word):
    with pytest.raises(ModelError, match=word) as caught:
        read(source)
    assert len(str(caught.value)) < 300


def test_a_large_file_is_refused(tmp_path):
    path = tmp_path / 'large.urdf'
    comments = '<!-- large -->' * (xml_text.MOST_BYTES // 14 - len(GOOD))
    largest = (GOOD + comments).ljust(xml_text.MOST_BYTES)
    path.write_text(largest)
    assert read(path).nv == 2
    path.write_text(largest + ' ')
    with pytest.raises(ModelError, match='larger than 10 MB'):
        read(path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr('os.path.isfile', lambda path: True)
    with pytest.raises(ModelError, match='cannot be read: Is a directory'):
        read(tmp_path)


def test_too_many_links_are_refused():
    chain = ''.join(f'<link name="l{i}"/>' for i in range(1001))
    with pytest.raises(ModelError, match='1001 links'):
        urdf.parse(f'<robot name="r">{chain}</robot>')


def test_a_chain_of_all_links_allowed_is_read_without_recursion():
    body = (
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        '</inertial>'
    )
    links = ''.join(f'<link name="l{i}">{body}</link>' for i in range(1000))
    joints = ''.join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(999)
    )
    assert read(f'<robot name="long">{links}{joints}</robot>').nv == 999


# --- bombs --------------------------------------------------------------------------------------

LAUGHS = (
    '<!DOCTYPE robot [<!ENTITY a "ha">'
    + ''.join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip('abcdefghi', 'bcdefghij'))
    + ']>'
)

BOMBS = {
    'billion laughs': LAUGHS + '<robot name="&j;"/>',
    'quadratic': f'<!DOCTYPE robot [<!ENTITY a "{"a" * 50_000}">]><robot>{"&a;" * 50_000}</robot>',
    'external entity': '<!DOCTYPE robot [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    '<robot name="a">&a;</robot>',
    'deep': '<robot name="a">' + '<a>' * 200_000,
    'many links': '<robot name="a">' + '<link name="a"/>' * 300_000,
    'many elements': '<robot name="a">' + '<a/>' * 2_000_000,
    'large': '<robot name="a">' + ' ' * 50_000_000,
    'many references': '<robot name="a">' + '&' * 9_000_000 + '</robot>',
    'many attributes': '<robot ' + ' '.join(f'a{i}="1"' for i in range(500_000)) + '/>',
}

SENTENCES = dict.fromkeys(BOMBS, 'has a <!DOCTYPE declaration') | {
    'deep': 'nests deeper than 500',
    'many links': 'has more than 200000 attributes',
    'many elements': 'nests deeper than 500 elements or has more than 100000',
    'large': 'is larger than 10 MB',
    'many references': 'has more than 100000 signs &',
    'many attributes': 'has more than 200000 attributes',
}


@pytest.mark.parametrize('bomb', BOMBS)
def test_a_bomb_is_refused(bomb):
    with pytest.raises(ModelError, match=f'^the description {SENTENCES[bomb]}'):
        xml_text.root_element(BOMBS[bomb])


def test_a_declared_encoding_is_ignored():
    """A document type hidden in another encoding would pass a search for its letters."""
    hidden = b'<?xml version="1.0" encoding="cp037"?>' + '<!DOCTYPE a><a/>'.encode('cp037')
    with pytest.raises(ModelError):
        xml_text.root_element(hidden)


@pytest.mark.parametrize(
    'hidden',
    [
        '<!DOCTYPE robot SYSTEM ">" [<!ENTITY a "ha">]><robot name="&a;"/>',
        '<!DOCTYPE robot><!DOCTYPE robot [<!ENTITY a "ha">]><robot name="&a;"/>',
        '\ufeff\ufeff<!DOCTYPE robot [<!ENTITY a "ha">]><robot name="&a;"/>',
        '<!DOCTYPE robot PUBLIC "-//a//[b]" "c"><robot name="a"/>',
    ],
)
def test_entities_hide_nowhere(hidden):
    """A document type without declarations is passed over; one that could have any is not."""
    for source in (hidden, hidden.encode(), hidden.encode('utf-16')):
        with pytest.raises(ModelError, match='DOCTYPE|not well-formed'):
            xml_text.root_element(source)


@pytest.mark.skipif(sys.platform == 'win32', reason='resource limits need a POSIX system')
def test_bombs_stay_small_in_memory_and_open_no_file():
    """Each bomb is refused within 100 MB of growth, and without opening anything."""
    script = textwrap.dedent(f"""
        import resource, sys
        sys.path[:0] = {[str(folder) for folder in Path(__file__).parents[:3]]}
        import importlib.util
        spec = importlib.util.spec_from_file_location('bombs', {__file__!r})
        bombs = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(bombs)
        from robodyn_ros.model import urdf
        urdf.parse(bombs.GOOD)
        with open('/proc/self/statm') as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + 100_000_000, size + 100_000_000))
        resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
        opened = []
        sys.addaudithook(lambda event, args: opened.append(args)
                         if event in ('open', 'socket.connect') else None)
        for name, bomb in bombs.BOMBS.items():
            try:
                urdf.parse(bomb)
            except bombs.ModelError:
                print(name)
        assert not opened, opened
        """)
    done = subprocess.run(
        [sys.executable, '-c', script], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(BOMBS)


PROLOGS = [
    '<?xml version="1.0"?>',
    '<!-- a comment -->',
    '<!-- <!DOCTYPE robot [<!ENTITY -->',
    '<?note <!DOCTYPE ?>',
    '<!----><?a?>',
    '\n \t',
]


@pytest.mark.parametrize('prolog', PROLOGS)
def test_a_document_type_is_found_by_its_place_not_by_its_letters(prolog):
    """Inside a comment, an instruction or character data it is none; after them it is one."""
    within = '<!-- <!DOCTYPE --><note><![CDATA[<!DOCTYPE a>]]></note>'
    inside = GOOD.replace('<link', f'{within}<link', 1)
    for mark in ('', '\ufeff'):
        assert read((mark + prolog.lstrip() + inside).encode()).nv == 2
        with pytest.raises(ModelError, match='DOCTYPE declaration'):
            read((mark + prolog.lstrip() + LAUGHS + inside).encode())


LONG = xml_text.MOST_BYTES - len(GOOD) - 30
SLOW = {
    'comment': f'<!--{">" * LONG}-->',
    'instruction': f'<?a {">" * LONG}?>',
    'character data': f'<![CDATA[{">" * LONG}]]>',
    'text': '>' * LONG,
    'attribute': f'<a b="{">" * LONG}"/>',
    'tag': f'<a{" " * LONG}/>',
    'comments': '<!---->' * (LONG // 7),
    'instructions': '<?a?>' * (LONG // 5),
    'sections': '<![CDATA[]]>' * (LONG // 12),
    'references': '&gt;' * (LONG // 4),
}


@pytest.mark.parametrize('kind', SLOW)
def test_long_tokens_are_read_in_one_go(monkeypatch, kind):
    """A token that is fed in pieces is scanned from its beginning with each: quadratic time."""
    fed = []

    create = expat.ParserCreate

    class Counting:
        """A parser that counts what it is fed."""

        def __init__(self, *arguments):
            object.__setattr__(self, 'inner', create(*arguments))

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def __setattr__(self, name, value):
            setattr(self.inner, name, value)

        def Parse(self, data, is_final):
            fed.append(len(data))
            return self.inner.Parse(data, is_final)

    monkeypatch.setattr(expat, 'ParserCreate', Counting)
    assert read(GOOD.replace('</robot>', SLOW[kind] + '</robot>')).nv == 2
    assert len(fed) == 1 and fed[0] > 0.99 * xml_text.MOST_BYTES


# --- anything at all ----------------------------------------------------------------------------


def answers(source):
    """The model, or None for a refusal; anything else fails the test that asks."""
    try:
        model = read(source)
    except (ModelError, UnknownNameError) as refusal:
        assert str(refusal)
        return None
    assert np.all(np.isfinite(model.constants))
    assert np.all(model.topology[1:, 0] < np.arange(1, len(model.body_names)))
    return model


RELAXED = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

NUMBERS = st.sampled_from(
    [
        'nan',
        '-nan',
        'inf',
        '-inf',
        '1e400',
        '-1e400',
        '1e308',
        '-1e308',
        '1e-320',
        '0',
        '-0',
        '1e16',
        '1e-9',
        '-1',
        '1,0',
        '0x1p3',
        '1_0',
        '',
        ' ',
        '1 2',
        '\u0661',
        '--1',
        '1e',
        '.',
        '+',
        '1' * 500,
    ]
)


@RELAXED
@given(st.data())
def test_any_number_replaced_gives_a_model_or_a_sentence(data):
    pieces = GOOD.split('"')
    for _ in range(data.draw(st.integers(1, 4))):
        pieces[data.draw(st.integers(0, (len(pieces) - 3) // 2)) * 2 + 1] = data.draw(NUMBERS)
    answers('"'.join(pieces))


@RELAXED
@given(st.data())
def test_any_attribute_replaced_by_another_gives_a_model_or_a_sentence(data):
    pieces = GOOD.split('"')
    values = st.sampled_from(pieces[1::2])
    for _ in range(data.draw(st.integers(1, 4))):
        pieces[data.draw(st.integers(0, (len(pieces) - 3) // 2)) * 2 + 1] = data.draw(values)
    answers('"'.join(pieces))


@RELAXED
@given(st.data())
def test_any_cut_copied_or_dropped_piece_gives_a_model_or_a_sentence(data):
    tags = GOOD.replace('>', '>\0').split('\0')
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(tags) - 1))
        change = data.draw(st.sampled_from(['drop', 'copy', 'move']))
        tag = tags[place] if change == 'copy' else tags.pop(place)
        if change != 'drop':
            tags.insert(data.draw(st.integers(0, len(tags))), tag)
    answers(''.join(tags))


@RELAXED
@given(st.binary(max_size=6), st.integers(0, len(GOOD) - 1), st.integers(0, 6))
def test_any_bytes_spliced_in_give_a_model_or_a_sentence(noise, place, removed):
    content = GOOD.encode()
    answers(content[:place] + noise + content[place + removed :])


@RELAXED
@given(st.one_of(st.text(max_size=50), st.binary(max_size=50)))
def test_any_text_gives_a_sentence(source):
    assert answers(source) is None


ENTRY = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.floats(-2.0, 2.0))


@RELAXED
@given(
    mass=ENTRY,
    com=st.tuples(*[ENTRY] * 3),
    six=st.tuples(*[ENTRY] * 6),
    axis=st.tuples(*[ENTRY] * 3),
    xyz=st.tuples(*[ENTRY] * 3),
    rpy=st.tuples(*[ENTRY] * 3),
)
def test_any_finite_numbers_give_a_model_or_a_sentence(mass, com, six, axis, xyz, rpy):
    def words(numbers):
        return ' '.join(map(repr, numbers))

    keys = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    entries = ' '.join(f'{key}="{value!r}"' for key, value in zip(keys, six))
    model = answers(
        f'<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="{words(com)}" '
        f'rpy="{words(rpy)}"/><mass value="{mass!r}"/><inertia {entries}/></inertial></link>'
        f'<joint name="j" type="revolute"><origin xyz="{words(xyz)}" rpy="{words(rpy)}"/>'
        f'<parent link="a"/><child link="b"/><axis xyz="{words(axis)}"/></joint></robot>'
    )
    if model is not None:
        R = model.constants[1, :9].reshape(3, 3)
        np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=1e-14)
