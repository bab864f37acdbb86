"""Links lead somewhere, what documents name exists, and the first example runs as printed."""
from pathlib import Path
import re

import pytest

from robodyn_ros.cli import identify
from robodyn_ros.specialised import SpecialisedRobot

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for folder in ('.', 'doc', 'benchmark')
                   for path in (ROOT / folder).glob('*.md'))


@pytest.mark.parametrize('document', DOCUMENTS)
def test_links_lead_somewhere(document):
    targets = re.findall(r'\]\(([^)#]+)', (ROOT / document).read_text())
    missing = [target for target in targets if not target.startswith('http')
               and not (ROOT / document).parent.joinpath(target).exists()]
    assert missing == []


@pytest.mark.parametrize('document', DOCUMENTS)
def test_tests_that_are_named_exist(document):
    text = (ROOT / document).read_text()
    tests = '\n'.join(path.read_text() for path in (ROOT / 'test').rglob('*.py'))
    assert [name for name in set(re.findall(r'`(test_\w+)`', text))
            if f'def {name}(' not in tests] == []
    assert [path for path in set(re.findall(r'`(test/[\w/.]+)`', text))
            if not (ROOT / path).exists()] == []


def test_the_example_of_the_readme_runs(monkeypatch):
    """With an arm of two joints, whose code compiles in seconds."""
    monkeypatch.chdir(ROOT)
    example, = re.findall(r'```python\n(.*?)```', Path('README.md').read_text(), re.S)
    names = {}
    exec(example.replace('franka_like', 'two_link'), names)
    assert names['robot'].joint_names == ('joint1', 'joint2')
    assert isinstance(names['fast'], SpecialisedRobot)
    assert names['osi'].rank == 2
    assert names['many'].position.shape == (100, 51, 2)


@pytest.mark.slow
def test_the_numbers_of_the_identification_come_out_again(monkeypatch, capsys, tmp_path):
    """What the page quotes is what the command on it prints."""
    pytest.importorskip('scipy', reason='filtering a recording needs scipy')
    monkeypatch.chdir(ROOT)
    page = Path('doc/identification.md').read_text()
    arguments, = re.findall(r'^    python -m robodyn_ros identify (demo .*)', page, re.M)
    assert identify.main([*arguments.split(), '--output', str(tmp_path)]) == 0
    quoted, printed = re.findall(r'^    > (.*)', page, re.M), capsys.readouterr().out.splitlines()
    assert len(quoted) > 10 and [line for line in quoted if line not in printed] == []
