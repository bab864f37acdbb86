# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the lessons of this folder print: what the book says beside what the package finds.

Every line shows the book's value, ours, their difference and a verdict. 'misprint' means a known
wrong value of the print; the corrected one follows. Other verdicts are 'ok' and 'DIFFERS'.
"""

import argparse
import contextlib
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `tools` is not installed
from tools.books.errata import MISPRINTS  # noqa: E402

ROUNDING = 1e-10  # relative to the largest entry
WIDTH, CHUNK = 99, 3


@dataclass(frozen=True, eq=False)
class Line:
    """One comparison. tolerance : relative. printed : the value in print where that is wrong."""

    name: str
    book: np.ndarray
    ours: np.ndarray
    tolerance: float
    printed: np.ndarray = None

    @property
    def difference(self):
        """Largest deviation, relative to the largest entry of the book's value."""
        return deviation(self.book, self.ours)

    @property
    def agrees(self):
        """Whether ours is the (corrected) book's value, and a misprint is one: False with NaN."""
        right = self.difference <= self.tolerance
        return bool(
            right
            and (self.printed is None or deviation(self.printed, self.ours) > 1e3 * self.tolerance)
        )


def deviation(value, reference):
    """Largest difference of two arrays of one shape, relative to the largest entry of either."""
    value, reference = np.asarray(value, float), np.asarray(reference, float)
    if value.shape != reference.shape:
        return np.inf
    size = max(np.abs(value).max(), np.abs(reference).max())
    return float(np.abs(value - reference).max() / size) if size > 0.0 else 0.0


class Lesson:
    """Prints a lesson, and keeps its `lines` and the paths of its `figures`.

    folder : where figures go; None for none.
    """

    def __init__(self, folder=None):
        self.folder = folder
        self.lines, self.figures, self._told = [], [], set()

    def teach(self, example):
        """Print the docstring of an example, a function of the lesson, and what it shows."""
        title, _, prose = example.__doc__.partition('\n')
        print(f'\n{title}\n{"-" * len(title)}')
        if prose.strip():
            print(textwrap.dedent(prose).strip('\n').rstrip() + '\n')
        print(f'{"":24}{"the book":<32}{"ours":<32}{"diff.":>8}')
        example(self)

    def compare(self, name, book, ours, tolerance=ROUNDING):
        """A value of the book beside ours: numbers, vectors or matrices of one shape."""
        self._add(Line(name, np.asarray(book, float), np.asarray(ours, float), tolerance))

    def misprint(self, name, place, printed, corrected, ours, tolerance=ROUNDING):
        """A value that is wrong in print. place : as in tools.books.errata."""
        (right,) = [
            misprint.correction
            for misprint in MISPRINTS
            if misprint.place.replace('\\|', '|') == place
        ]  # a table of Markdown there
        line = Line(
            name,
            np.asarray(corrected, float),
            np.asarray(ours, float),
            tolerance,
            np.asarray(printed, float),
        )
        _show(name, line.printed, line.ours, deviation(printed, ours), 'misprint')
        if place not in self._told:
            self._told.add(place)
            self.say(f'({right})')
        self._add(line, '  corrected')

    def say(self, text):
        """A remark."""
        print(
            textwrap.fill(
                ' '.join(text.split()),
                WIDTH - 4,
                initial_indent=' ' * 4,
                subsequent_indent=' ' * 4,
            )
        )

    @contextlib.contextmanager
    def figure(self, name, **options):
        """Axes of a figure to draw on, saved as <name>.png; None where figures are not wanted."""
        if self.folder is None:
            yield None
            return
        import matplotlib

        matplotlib.use('Agg')
        from matplotlib import pyplot as plt

        figure, axes = plt.subplots(figsize=(9, 4), layout='constrained', **options)
        yield axes
        self.save(name, figure)
        plt.close(figure)

    def save(self, name, figure):
        """Save a figure as <name>.png; nothing where figures are not wanted."""
        if self.folder is not None:
            path = self.folder / f'{name}.png'
            figure.savefig(path, dpi=110)
            self.figures.append(path)
            print(f'    figure: {path}')

    def _add(self, line, name=None):
        self.lines.append(line)
        _show(
            name or line.name,
            line.book,
            line.ours,
            line.difference,
            'ok' if line.agrees else 'DIFFERS',
        )


def run(title, examples, arguments=None):
    """Teach the examples in order; return the Lesson. arguments : [folder for the figures]."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument('folder', nargs='?', type=Path, help='where to save the figures')
    folder = parser.parse_args(arguments).folder
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    print(f'{title}\n{"=" * len(title)}')
    lesson = Lesson(folder)
    for example in examples:
        lesson.teach(example)
    wrong = sum(not line.agrees for line in lesson.lines)
    misprints = sum(line.printed is not None for line in lesson.lines)
    print(
        f'\n{len(lesson.lines)} comparisons, {wrong} differ; {misprints} of them correct a '
        'misprint.'
    )
    return lesson


def exit_code(lesson):
    """0 where everything agrees."""
    return int(not all(line.agrees for line in lesson.lines))


def _show(name, book, ours, difference, verdict):
    """One line of the table, or as many as the rows of a matrix need; three numbers a column."""
    pairs = list(zip(_chunks(book), _chunks(ours)))
    for k, (left, right) in enumerate(pairs):
        tail = f'{difference:8.0e}  {verdict}' if k == len(pairs) - 1 else ''
        print(f'{name if k == 0 else "":<24}{left:<32}{right:<32}{tail}'.rstrip())


def _chunks(array):
    size = np.abs(array).max()
    array = np.where(np.abs(array) < 1e-12 * size, 0.0, array)  # what rounding leaves of a zero
    rows = np.atleast_2d(array) if array.ndim < 3 else array.reshape(-1, array.shape[-1])
    return [
        ' '.join(f'{x:9.5g}' for x in row[k : k + CHUNK])
        for row in rows
        for k in range(0, len(row), CHUNK)
    ]
