# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot in three dimensions: what a page in the browser shows, and the page itself, by viser.

scene.py              where the shapes of the links are
torque_arrows.py      gravity torques as arrows along the joint axes
inertia_ellipsoid.py  inertia of the end effector as an ellipsoid
scales.py             how long arrows and ellipsoids are drawn
postures.py           a slider for each velocity, and the posture they stand for
playback.py           motions from files
mesh_file.py          meshes of links
drawing.py            the nodes of the picture
page.py               all of it in the browser
"""
