# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one way from a text or a file to a description: URDF, xacro and MJCF."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robodyn_ros.errors import ModelError, short_repr, shorten
from robodyn_ros.model import urdf, xml_text
from robodyn_ros.model.mjcf import geoms, reader
from robodyn_ros.model.mjcf.compiled import Compiled, compile_mjcf
from robodyn_ros.model.sources import geometry, package_path, xacro_file

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from robodyn_ros.model.description import RobotDescription
    from robodyn_ros.model.model_report import Finding
    from robodyn_ros.model.sources.geometry import Shape

MJCF = 'mujoco'  # root element


@dataclass(frozen=True, eq=False)
class DescriptionSource:
    """A description as its author wrote it, read and expanded, from `opened`.

    `text`: XML, after xacro.
    `root`: its root element.
    `path`: its file; None for a text.
    `findings`: what was doubtful on the way to the XML.
    """

    text: str
    root: Element
    path: Path | None
    findings: tuple[Finding, ...]

    __repr__ = short_repr

    @property
    def folder(self) -> Path:
        """Folder where relative paths of its files begin: that of the file, or the current one."""
        return self.path.parent if self.path else Path()

    @property
    def origin(self) -> str | Path:
        """The file, or the text of what is no file, or comes from xacro."""
        if self.path is None or self.path.suffix == xacro_file.SUFFIX:
            return self.text
        return self.path

    def description(self) -> RobotDescription:
        """Return the links and joints.

        Raises ModelError: for anything but the description of a robot; the message names the
          element.
        """
        if self.root.tag == MJCF:
            description = reader.describe(self._compiled)
        else:
            description = urdf.described(self.root)
        return replace(description, findings=(*self.findings, *description.findings))

    def shapes(
        self, element: str, links: Collection[str] | None = None, notes: list[str] | None = None
    ) -> tuple[Shape, ...]:
        """Return the shapes of links.

        `element`: which shapes.
        `links`: names of the links; all by default.
        `notes`: receives a sentence about each shape that is malformed, which is left out.
        Raises ModelError: for a shape that is malformed, without `notes`; the sentence names its
          link.
        """
        if self.root.tag == MJCF:
            return geoms.shapes(self._compiled, element, links, notes)
        return geometry.shapes(self.text, element, links, notes)

    @functools.cached_property
    def _compiled(self) -> Compiled:
        """The MJCF as MuJoCo compiles it; files that it names are beside its own."""
        return compile_mjcf(self.origin)


def opened(
    source: str | bytes | os.PathLike, xacro_arguments: Mapping[str, Any] | None = None
) -> DescriptionSource:
    """Read a description, and expand it by xacro if it is a file whose name ends with .xacro.

    `source`: text, or path of a file, also as `package://<name>/<path>`. A string with a '<' in it
      is text.
    `xacro_arguments`: values of the arguments of a xacro file by name.
    Returns DescriptionSource
    Raises ModelError: if there is no such file, it is not XML, or xacro is missing or refuses it.
      If there are arguments for anything but a xacro file.
    Raises UngivenError: if an argument of a xacro file is missing; the message lists those that it
      has.
    """
    path = None
    if isinstance(source, os.PathLike) or (
        isinstance(source, str) and '<' not in source and source.strip()
    ):
        path = Path(package_path.resolved(source))
    if path is not None and path.suffix == xacro_file.SUFFIX:
        text, findings = xacro_file.expanded(path, xacro_arguments)
        document = xml_text.document(text)
        return DescriptionSource(text, document.root, path, (*findings, *document.findings))
    if xacro_arguments:
        raise ModelError(
            f'got xacro arguments {", ".join(xacro_arguments)} for '
            f'{"a text" if path is None else shorten(str(path), 300)}; expected them for the path '
            f'of a file whose name ends with {xacro_file.SUFFIX}'
        )
    document = xml_text.document(source if path is None else path)
    return DescriptionSource(document.text, document.root, path, document.findings)
