# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of the documentation site; `make docs` builds it into build/site."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

project = 'robodyn_ros'
author = 'robodyn_ros maintainers'
copyright = author
release = re.search(r'<version>(.*)</version>', (ROOT / 'package.xml').read_text())[1]

extensions = [
    'myst_parser',
    'sphinx.ext.autodoc',
    'sphinx.ext.napoleon',
    'sphinx.ext.viewcode',
    'sphinx_copybutton',
]
root_doc = 'index'
exclude_patterns = ['tutorials']  # lessons are programs; books/index.md shows how to run them

myst_enable_extensions = ['colon_fence', 'deflist', 'dollarmath']
myst_heading_anchors = 3
myst_links_external_new_tab = True

autodoc_member_order = 'bysource'
autodoc_default_options = {'members': True, 'show-inheritance': False}
autodoc_typehints = 'none'  # types stand in the docstrings, with shapes and units
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = 'furo'
html_title = f'robodyn_ros {release}'
html_show_sphinx = False
html_theme_options = {'navigation_with_keys': True}
copybutton_exclude = '.linenos, .gp, .go'

#: Documents outside doc/, and the pages that include them.
INCLUDED = {
    'README.md': 'index.md',
    'CONTRIBUTING.md': 'project/contributing.md',
    'CHANGELOG.rst': 'project/changelog.md',
    'SECURITY.md': 'project/reporting.md',
    'benchmark/README.md': 'project/measurements.md',
}


def lead_to_pages(app, docname, source):
    """Let links to documents outside doc/ lead to their pages, or be plain text without one.

    The same links work where the Markdown is read without the site.
    """
    folder = (ROOT / 'doc' / docname).parent

    def replaced(match):
        text, target = match.groups()
        path = Path(os.path.normpath(folder / target))
        if not path.is_relative_to(ROOT) or path.is_relative_to(ROOT / 'doc'):
            return match[0]
        name = path.relative_to(ROOT).as_posix()
        if name in INCLUDED:
            return f'[{text}]({os.path.relpath(ROOT / "doc" / INCLUDED[name], folder)})'
        return f'{text} (`{name}`)' if path.is_dir() or path.suffix == '.md' else match[0]

    source[0] = re.sub(r'\[([^]]+)\]\((\.\./[^)#:\s]+)\)', replaced, source[0])


def setup(app):
    """Connect the above."""
    app.connect('source-read', lead_to_pages)
