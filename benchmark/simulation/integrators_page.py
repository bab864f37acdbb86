# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the table of doc/integrators.md and doc/pictures/integrators.png from the last run.

ROBODYN_SWING=3600 python -m benchmark integrators
python -m benchmark.simulation.integrators_page
"""

import json
import sys
from pathlib import Path

import numpy as np

from benchmark.__main__ import RESULTS
from benchmark.simulation.integrators import COLUMNS, rows
from tools.pages.markdown import renewed, table

DOC = Path(__file__).resolve().parents[2] / 'doc'
MARKER = '<!-- measured: python -m benchmark.simulation.integrators_page -->'
SMALLEST = 1e-16  # smaller errors are drawn as this


def main():
    """Write both; return the exit code."""
    result = json.loads((RESULTS / 'integrators.json').read_text())
    page = DOC / 'integrators.md'
    page.write_text(renewed(page.read_text(), MARKER, measured(result)))
    draw(result, DOC / 'pictures' / 'integrators.png')
    return 0


def measured(result):
    """Return the table and where it was measured."""
    machine = result['machine']
    return (
        f'{table(COLUMNS, rows(result))}\n\n{result["swing_s"]:.0f} s on {machine["processor"]}, '
        f'Python {machine["python"]}, numba {machine["numba"]}.'
    )


def draw(result, path):
    """Draw the error of the energy over time, by its magnitude."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 5), layout='constrained')
    for name, row in result['schemes'].items():
        theirs = name.startswith('MuJoCo')
        error = np.maximum(np.abs(row['parts']), SMALLEST)
        axes.plot(np.array(row['times_s']) / 60.0, error, '--' if theirs else '-', label=name)
        if row['lost_s'] is not None:
            axes.plot(row['times_s'][-1] / 60.0, error[-1], 'x', color=axes.lines[-1].get_color())
    axes.set(
        xlabel='time [min]',
        ylabel='error of the energy / largest kinetic energy',
        yscale='log',
        title='Free swing of a 7-joint arm at 1 kHz (a cross: lost)',
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, ncols=2)
    figure.savefig(path, dpi=100)
    plt.close(figure)


if __name__ == '__main__':
    sys.exit(main())
