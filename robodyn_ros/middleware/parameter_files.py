# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find parameter files without an entry for a node, mostly due to a misspelt name."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

OPTION = '--params-file'
KEY = 'ros__parameters'


def for_others(arguments: Sequence[str], node_name: str) -> list[str]:
    """Return a sentence about every parameter file that names other nodes only.

    A file that can no longer be read is reported, too: rcl has taken its parameters.

    `arguments`: of the process, including those after --ros-args.
    `node_name`: full name of the node.
    """
    files = [value for option, value in zip(arguments, arguments[1:]) if option == OPTION]
    sentences = []
    for file in files:
        try:
            names = list(_names(file))
        except OSError as error:
            sentences.append(f"Parameter file '{file}' is not examined: {error.strerror}.")
            continue
        if names and not any(_pattern(name).fullmatch(node_name) for name in names):
            listed = ', '.join(f"'{name}'" for name in names)
            sentences.append(
                f"Parameter file '{file}' has nothing for this node, '{node_name}': it is for "
                f"{listed}. Expected that name, or '/**' for any node."
            )
    return sentences


def readers(file: str, nodes: Sequence[str]) -> list[str]:
    """Return which of the nodes of a launch are to read a parameter file.

    It may be for some of them only. If it names none of them, each reads it, and warns.

    `file`: path of the file; one that is missing is for all nodes, which refuse it.
    `nodes`: full names of the nodes.
    """
    if not Path(file).is_file():
        return list(nodes)
    return [node for node in nodes if not for_others([OPTION, file], node)] or list(nodes)


def _names(file: str) -> Iterator[str]:
    """Yield the node names of a file, as patterns; rcl has refused malformed files."""
    import yaml  # comes with ROS

    content = yaml.safe_load(Path(file).read_text(encoding='utf-8'))
    yield from dict.fromkeys(_walk(content, ''))


def _walk(content, name):
    if not isinstance(content, dict):
        return
    for key, value in content.items():
        if key == KEY:
            yield name
        else:
            yield from _walk(value, f'{name}/{str(key).strip("/")}')


def _pattern(name: str) -> re.Pattern:
    """Return the pattern of an rcl name: `*` is one part of a name, `**` any number."""
    parts = {'**': r'(/[^/]+)*', '*': r'/[^/]+'}
    return re.compile(
        ''.join(parts.get(part, '/' + re.escape(part)) for part in name.split('/')[1:])
    )
