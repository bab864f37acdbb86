# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The security policy of the nodes, as sets of names."""

from pathlib import Path
from xml.etree import ElementTree

FOLDER = Path(__file__).resolve().parents[2] / 'config' / 'security'
POLICY = FOLDER / 'policy.xml'


def allowed(enclave, kind, **permission):
    """Return the names of one kind that an enclave is allowed.

    enclave : 'controller' or 'simulator'. kind : 'topic', 'service' or 'action'. permission : one,
    as in publish='ALLOW'.
    """
    profile = ElementTree.parse(POLICY).find(f".//enclave[@path='/robodyn/{enclave}']//profile")
    ((key, value),) = permission.items()
    return {
        entry.text for group in profile if group.get(key) == value for entry in group.findall(kind)
    }
