# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Check the form of the text files of a clone: python -m tools.text_files.

It refuses marks of a merge, blanks at the ends of lines, and a last line without an end. It also
refuses XML and YAML that cannot be parsed.
"""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).resolve().parents[1]
MERGE = re.compile(rb'^(?:<{7}|>{7}|={7}$)', re.M)
BLANKS = re.compile(rb'[ \t]+$', re.M)
XML = {'.svg', '.urdf', '.xacro', '.xml'}
YAML = {'.yaml', '.yml'}


def complaints(data, suffix):
    """Yield the faults of the contents of a file.

    Yields
    ------
    str
        A few words.
    """
    if b'\0' in data:  # not a text
        return
    if MERGE.search(data):
        yield 'marks of a merge'
    if BLANKS.search(data):
        yield f'blanks at the end of line {data[: BLANKS.search(data).start()].count(10) + 1}'
    if data and (not data.endswith(b'\n') or data.endswith(b'\n\n')):
        yield 'expected one end of line at the end of the file'
    try:
        if suffix in XML:
            ElementTree.fromstring(data)
        elif suffix in YAML:
            list(yaml.safe_load_all(data))
    except (ElementTree.ParseError, yaml.YAMLError) as error:
        yield str(error)


if __name__ == '__main__':
    listed = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name.decode() for name in listed.stdout.split(b'\0') if name]
    wrong = [
        f'{path.relative_to(ROOT)}: {text}'
        for path in paths
        if path.is_file()
        for text in complaints(path.read_bytes(), path.suffix)
    ]
    print('\n'.join(wrong) or 'Text files: no findings.')
    sys.exit(bool(wrong))
