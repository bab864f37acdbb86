# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of the simulated runs into doc/: python -m tools.pages.simulated_tables.

Time is simulated, so the numbers are the same on every machine.
"""

import json
import tempfile
from pathlib import Path

from robodyn_ros.cli import laws_demo, task_audit, task_demo
from tools.pages.markdown import renewed, table

DOC = Path(__file__).resolve().parents[2] / 'doc'
#: {command: (page, its result, options)}.
PAGES = {
    laws_demo: ('control_laws.md', 'laws.json', ()),
    task_demo: ('operational_space.md', 'task.json', ()),
    task_audit: ('operational_space.md', 'audit.json', ('--seeds', '5')),
}


def marker(command):
    """Return the comment that precedes the table of a command."""
    return f'<!-- numbers of {command.__name__.rpartition(".")[2]} -->'


def table_from(command, folder):
    """Return the Markdown table of the results that a command has written to a folder."""
    _, name, _ = PAGES[command]
    numbers = json.loads((folder / name).read_text())
    return table(command.HEAD, command.rows(numbers.get('laws', numbers)))


def main():
    """Run every command and write its table into its page."""
    for command, (page, _, options) in PAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            command.main(['--output', folder, *options])
            text = (DOC / page).read_text()
            content = table_from(command, Path(folder))
        (DOC / page).write_text(renewed(text, marker(command), content))


if __name__ == '__main__':
    main()
