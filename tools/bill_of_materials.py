# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""List what the package depends on: licences, and a CycloneDX bill of materials.

    python -m tools.bill_of_materials sbom.json --licences licences.txt

It covers requirements/core.txt and run.txt with all their requirements, as installed. It needs no
network.
"""

import argparse
import importlib.metadata
import json
import re
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Classifiers of licences, by their SPDX names.
SPDX = {
    'Apache Software License': 'Apache-2.0',
    'BSD License': 'BSD-3-Clause',
    'MIT License': 'MIT',
    'Python Software Foundation License': 'PSF-2.0',
    'Mozilla Public License 2.0 (MPL 2.0)': 'MPL-2.0',
    'Historical Permission Notice and Disclaimer (HPND)': 'HPND',
}


def required():
    """Return the names of the requirements, and of what these require without extras, in order."""
    files = [ROOT / 'requirements' / name for name in ('core.txt', 'run.txt')]
    lines = [line for file in files for line in file.read_text().splitlines()]
    waiting = [name_of(line) for line in lines if line and not line.startswith('#')]
    found, missing = {}, []
    while waiting:
        name = waiting.pop(0)
        key = canonical(name)
        if key in found or key in missing:
            continue
        try:
            found[key] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(key)
            continue
        waiting += [
            name_of(text)
            for text in found[key].requires or ()
            if 'extra' not in text.partition(';')[2] and applies(text)
        ]
    return dict(sorted(found.items())), sorted(missing)


def applies(requirement):
    """Return whether a requirement is for this machine; without `packaging` each one is."""
    try:
        from packaging.requirements import Requirement
    except ImportError:
        return True
    marker = Requirement(requirement).marker
    return marker is None or marker.evaluate({'extra': ''})


def name_of(requirement):
    """Return the name in a requirement."""
    return re.match(r'[\w.-]+', requirement.strip())[0]


def canonical(name):
    """Return a name as the package index spells it."""
    return re.sub(r'[-_.]+', '-', name).lower()


def licence(distribution):
    """Return the licence that a distribution states, preferably as an SPDX expression."""
    told = distribution.metadata
    if told.get('License-Expression'):
        return told['License-Expression']
    classifiers = [
        text.rpartition(' :: ')[2]
        for text in told.get_all('Classifier') or ()
        if text.startswith('License :: OSI Approved :: ')
    ]
    if classifiers:
        return ' AND '.join(sorted({SPDX.get(text, text) for text in classifiers}))
    return ' '.join((told.get('License') or 'not stated').split())[:60]


def bill(found):
    """Return the bill of materials, CycloneDX 1.5; the same for the same versions."""
    own = {
        'type': 'application',
        'name': 'robodyn_ros',
        'bom-ref': 'robodyn_ros',
        'version': re.search(r"version='([^']+)'", (ROOT / 'setup.py').read_text())[1],
        'licenses': [{'expression': 'Apache-2.0'}],
    }
    components = [
        {
            'type': 'library',
            'name': name,
            'version': distribution.version,
            'bom-ref': reference(name, distribution),
            'purl': reference(name, distribution),
            'licenses': [{'license': {'name': licence(distribution)}}],
        }
        for name, distribution in found.items()
    ]
    references = [component['bom-ref'] for component in components]
    return {
        'bomFormat': 'CycloneDX',
        'specVersion': '1.5',
        'serialNumber': f'urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, " ".join(references))}',
        'version': 1,
        'metadata': {'component': own},
        'components': components,
        'dependencies': [{'ref': 'robodyn_ros', 'dependsOn': references}],
    }


def reference(name, distribution):
    """Return the package URL of a distribution."""
    return f'pkg:pypi/{name}@{distribution.version}'


def licence_list(found):
    """Return one line for each distribution: name, version, licence."""
    return ''.join(
        f'{name:24} {distribution.version:16} {licence(distribution)}\n'
        for name, distribution in found.items()
    )


def main(args=None):
    """Write both; return exit code 1 with the names of missing distributions."""
    parser = argparse.ArgumentParser(
        prog='bill_of_materials',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('output', type=Path, help='CycloneDX file (JSON)')
    parser.add_argument('--licences', type=Path, help='text file of licences')
    options = parser.parse_args(args)
    found, missing = required()
    if missing:
        print(f'Not installed: {", ".join(missing)}. Install them first.', file=sys.stderr)
        return 1
    options.output.write_text(json.dumps(bill(found), indent=2) + '\n')
    if options.licences:
        options.licences.write_text(licence_list(found))
    print(licence_list(found), end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
