# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Growth of processes since a moment: memory, threads, files."""


class Growth:
    """Counts from its construction.

    Parameters
    ----------
    nodes : dict
        {name: Node} of the processes.
    """

    def __init__(self, nodes):
        self._nodes = nodes
        self._first = {name: node.memory() for name, node in nodes.items()}

    def judge(self, expect, most, where=''):
        """Expect little more memory, no more threads and no more files; return the growth in
        words.

        Parameters
        ----------
        expect : callable
            Called with a condition and a sentence.
        most : float
            Largest allowed growth of the memory [MB].
        where : str
            Beginning of the sentences.
        """
        return '; '.join(self._judged(name, expect, most, where) for name in self._nodes)

    def _judged(self, name, expect, most, where):
        last = self._nodes[name].memory()
        memory, threads, files = (now - then for now, then in zip(last, self._first[name]))
        expect(memory < most, f'{where}{name} has {memory:+.1f} MB; expected less than {most:g}')
        expect(threads <= 0, f'{where}{name} has {threads:+d} threads')
        expect(files <= 0, f'{where}{name} has {files:+d} files')
        return f'{memory:+.2f} MB, threads {threads:+d}, files {files:+d} ({name})'
