# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the pages of the books: python -m tools.books."""

from pathlib import Path

from tools.books import formulation_pages, jain_page

FOLDER = Path(__file__).resolve().parents[2] / 'doc' / 'books'


def documents():
    """Return {file name: text} of all pages."""
    return {
        'index.md': formulation_pages.overview(),
        **{
            f'{name}.md': formulation_pages.page(book)
            for book, name in formulation_pages.PAGES.items()
        },
        'jain.md': jain_page.document(),
    }


if __name__ == '__main__':
    for name, text in documents().items():
        (FOLDER / name).write_text(text)
