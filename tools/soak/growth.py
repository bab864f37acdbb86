# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What processes have more than at a moment: memory, threads, files."""


class Growth:
    """Counts from its construction.

    Parameters
    ----------
    nodes : dict
        Name and Node of each process.
    """

    def __init__(self, nodes):
        self._nodes = nodes
        self._first = {name: node.memory() for name, node in nodes.items()}

    def judge(self, expect, most, where=''):
        """Expect less memory than `most` [MB] more, no thread and no file; return what there is.

        Parameters
        ----------
        expect : callable
            Notes a sentence where a condition does not hold.
        most : float
            Bound of the memory [MB].
        where : str
            What a sentence begins with.
        """
        return '; '.join(self._judged(name, expect, most, where) for name in self._nodes)

    def _judged(self, name, expect, most, where):
        last = self._nodes[name].memory()
        memory, threads, files = (now - then for now, then in zip(last, self._first[name]))
        expect(memory < most, f'{where}{name} has {memory:+.1f} MB; expected less than {most:g}')
        expect(threads <= 0, f'{where}{name} has {threads:+d} threads')
        expect(files <= 0, f'{where}{name} has {files:+d} files')
        return f'{memory:+.2f} MB, threads {threads:+d}, files {files:+d} ({name})'
