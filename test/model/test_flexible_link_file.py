# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Flexible links from a YAML file: each kind, and sentences about what is wrong in it."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.model.extended.modal_sources import CraigBampton, ModalBeam, ModalNodes
from robodyn_ros.model.sources.flexible_link_file import flexible_links_of

TEXT = """
elastic_joints: {}
flexible_links:
  boom:
    beam:
      end: [1.2, 0, 0]
      bending: [5e3, 8.0e+3]
      torsion: 3e3
      gyration: 0.02
      modes: [2, 3, 1]
      damping_ratio: 1e-2
      loaded_tip: true
  mast:
    beam: {end: [0, 0, 2], bending: 400, up: [1, 0, 0]}
  arm:
    nodes:
      places: [[0.2, 0, 0], [0.4, 0, 0]]
      masses: [1.5, 1.5]
      shapes: [[[0, 0, 0.4, 0, 0.1, 0]], [[0, 0, 0.6, 0, 3e-1, 0]]]
      stiffness: [9e2]
      damping: [2]
      inertias: [[0, 0.01, 0.01], [0, 0.01, 0.01]]
  plate:
    craig_bampton:
      boundary: [[0, 0, 0]]
      mass: [[1]]
      stiffness: [[2e0]]
"""


def written(tmp_path, text):
    path = tmp_path / 'links.yaml'
    path.write_text(text)
    return path


def test_every_kind_of_link_is_read(tmp_path):
    links = flexible_links_of(written(tmp_path, TEXT))
    boom, mast, arm, plate = (links[name] for name in ('boom', 'mast', 'arm', 'plate'))
    assert isinstance(boom, ModalBeam) and boom.bending == (5e3, 8e3) and boom.modes == (2, 3, 1)
    assert boom.torsion == 3e3 and boom.damping_ratio == 0.01 and boom.mass is None
    assert mast.bending == (400.0, 400.0) and mast.up.tolist() == [1.0, 0.0, 0.0]
    assert isinstance(arm, ModalNodes)
    made = arm.link(None, 1, 'arm')
    assert made.mass == 3.0 and made.damping == [[2.0]] and made.stiffness == [[900.0]]
    # masses times displacements, and rotations times moments of inertia
    assert made.modal_mass == pytest.approx(np.array([[1.5 * 0.1 + 0.01 * 0.52]]))
    assert isinstance(plate, CraigBampton) and plate.stiffness == [[2.0]]
    assert flexible_links_of(None) == {} and flexible_links_of(links) == links


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('{boom: {}}', "flexible link 'boom' has {}; expected one of beam, nodes, craig_bampton"),
        ('{boom: {beam: {end: [1, 0, 0]}}}', 'beam has .*; expected at least end and bending'),
        ('{boom: {beam: {end: [1, 0], bending: 1}}}', 'has end .*; expected three numbers'),
        ('{boom: {beam: {end: [1, 0, 0], bending: [1, 2, 3]}}}', 'expected two numbers'),
        ('{boom: {beam: {end: [1, 0, 0], bending: 1, EI: 2}}}', "has the entry 'EI'"),
        ('{boom: {beam: {end: [1, 0, 0], bending: 1, mass: x}}}', "has mass 'x'"),
        ('{boom: {beam: {end: [1, 0, 0], bending: 1, loaded_tip: 2}}}', 'expected true or false'),
        ('[boom]', 'expected them by names'),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path, text, words):
    with pytest.raises(ModelError, match=words):
        flexible_links_of(written(tmp_path, f'flexible_links: {text}'))
