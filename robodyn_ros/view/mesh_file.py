# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Meshes from files, by trimesh; COLLADA by pycollada."""

from robodyn_ros.errors import ModelError

MOST_BYTES = 200_000_000
COLLADA = '.dae'


def read_mesh(path, color=None):
    """Read a mesh, in metres if its file names another unit.

    `path` (Path): the file: STL, COLLADA, OBJ, PLY or glTF.
    `color` (tuple of float): red, green, blue and opacity, each 0 to 1, of a mesh that has no
      colours.
    Returns trimesh.Trimesh
    Raises ModelError: if the file cannot be read.
    """
    import trimesh

    if path.stat().st_size > MOST_BYTES:
        raise ModelError(f'{str(path)!r} has more than {MOST_BYTES} bytes')
    try:
        if path.suffix.lower() == COLLADA:
            import collada  # noqa: F401  trimesh fails later without it

        loaded = trimesh.load_scene(path)
        if loaded.units:
            loaded = loaded.convert_units('meters')
        mesh = loaded.to_mesh()
    except ModuleNotFoundError:
        raise
    except Exception as error:  # a damaged file raises nearly anything in its reader
        raise ModelError(f'{str(path)!r} is no mesh: {type(error).__name__}: {error}') from None
    if not len(mesh.faces):
        raise ModelError(f'{str(path)!r} is no mesh: it has no faces')
    if color and not mesh.visual.defined:
        mesh.visual.face_colors = [round(255 * part) for part in color]
    return mesh
