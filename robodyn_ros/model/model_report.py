# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report of a model: implausible values, with the names of links and joints."""

from dataclasses import dataclass

from robodyn_ros.errors import short_repr

WARNING = 'warning'
NOTE = 'note'


@dataclass(frozen=True)
class Finding:
    """One finding about a robot.

    `severity`: a warning may make the dynamics wrong.
    `subject`: the link or joint.
    `sentence`: what is implausible, and how it is handled.
    """

    severity: str
    subject: str
    sentence: str

    __repr__ = short_repr

    def __str__(self):
        return f'{self.severity:<7}  {self.subject}: {self.sentence}'


class Findings(list):
    """Findings in the order in which they are made."""

    def warn(self, subject, sentence):
        """Add a warning."""
        self.append(Finding(WARNING, subject, sentence))

    def note(self, subject, sentence):
        """Add a note."""
        self.append(Finding(NOTE, subject, sentence))


@dataclass(frozen=True)
class ModelReport:
    """The findings about one robot.

    `robot`: name of the robot.
    `findings`: findings in the order of the checks.
    """

    robot: str
    findings: tuple[Finding, ...] = ()

    __repr__ = short_repr

    @property
    def warnings(self):
        """Return the findings that may make the dynamics wrong, one line each."""
        return tuple(f'{f.subject}: {f.sentence}' for f in self.findings if f.severity == WARNING)

    @property
    def notes(self):
        """Return the other findings, one line each."""
        return tuple(f'{f.subject}: {f.sentence}' for f in self.findings if f.severity == NOTE)

    def __str__(self):
        head = (
            f'Model report of robot {self.robot!r}: '
            f'{len(self.warnings)} warnings, {len(self.notes)} notes'
        )
        ranked = sorted(self.findings, key=lambda finding: finding.severity != WARNING)
        return '\n'.join([head, *(f'  {finding}' for finding in ranked)])
