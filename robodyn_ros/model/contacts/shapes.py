# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shapes on links: by hand, or those of a description that touch others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from robodyn_ros.model.contacts.obstacles import ORIGIN, size_of, vector
from robodyn_ros.model.description import Placement
from robodyn_ros.model.rotation_matrix import from_rpy
from robodyn_ros.model.sources.description_source import opened
from robodyn_ros.model.sources.geometry import Shape


def sphere(link: str, radius: float, centre: ArrayLike = ORIGIN) -> Shape:
    """Return a sphere on a link.

    Parameters
    ----------
    link : str
        Name of a link or joint frame.
    radius : float
        Its radius [m].
    centre : (3,) array_like
        Its centre in axes of the link [m].

    Returns
    -------
    Shape
        The sphere.
    """
    return Shape(link, Placement(translation=vector(link, centre)), 'sphere', (float(radius),))


def capsule(
    link: str, radius: float, length: float, centre: ArrayLike = ORIGIN, rpy: ArrayLike = ORIGIN
) -> Shape:
    """Return a capsule on a link.

    Parameters
    ----------
    link : str
        Name of a link or joint frame.
    radius : float
        Radius [m].
    length : float
        Length of its segment, which lies along z [m].
    centre, rpy : (3,) array_like
        Pose in the link [m, rad].

    Returns
    -------
    Shape
        The capsule.
    """
    pose = Placement(from_rpy(*vector(link, rpy)), vector(link, centre))
    return Shape(link, pose, 'capsule', (float(radius), float(length)))


def box(link: str, edges: ArrayLike, centre: ArrayLike = ORIGIN, rpy: ArrayLike = ORIGIN) -> Shape:
    """Return a box on a link.

    Parameters
    ----------
    link : str
        Name of a link or joint frame.
    edges : (3,) array_like
        Lengths of its edges [m].
    centre, rpy : (3,) array_like
        Pose in the link [m, rad].

    Returns
    -------
    Shape
        The box.
    """
    pose = Placement(from_rpy(*vector(link, rpy)), vector(link, centre))
    return Shape(link, pose, 'box', size_of(edges))


def collision_shapes(source, links: Sequence[str] | None = None) -> tuple[Shape, ...]:
    """Return the primitives of the <collision> elements of a URDF, or geoms of an MJCF.

    A cylinder becomes the capsule of the same radius and overall length. If it is shorter than
    wide, it becomes the sphere of its radius. Meshes are left out, and what only an MJCF has.

    Parameters
    ----------
    source : str, bytes or path
        Text, or the path of a file.
    links : sequence of str, optional
        Links to take; all by default.

    Returns
    -------
    tuple of Shape
        Spheres, capsules and boxes.
    """
    found = opened(source).shapes('collision', links)
    return tuple(_rounded(each) for each in found if each.kind != 'mesh')


def _rounded(shape):
    """Return a cylinder as a capsule or a sphere; any other shape unchanged."""
    if shape.kind != 'cylinder':
        return shape
    radius, length = shape.size
    if length <= 2.0 * radius:
        return replace(shape, kind='sphere', size=(radius,))
    return replace(shape, kind='capsule', size=(radius, length - 2.0 * radius))
