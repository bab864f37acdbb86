# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Collect the citations of the five books from docstrings, comments and pages.

A citation is a number behind the name of a book: "Jain 2011, section 11.2.2, eq. 11.8". The end
of the sentence or another source ends it. Files that belong to one book need not name it. There
numbers count behind words like "section", and in parentheses.
"""

import ast
import io
import re
import tokenize
from typing import NamedTuple

from tools.books.contents import ANGELES, CRAIG, JAIN, SPONG, TURNEY

NUMBER = r'(?:\d{1,2}|[ABC])(?:\.\d{1,3})+[a-z]?\b'
INTEGER = r'\d{1,2}\b(?![.%]\d)'
KINDS = {
    'section': r'sections?|sect\.|sec\.',
    'equation': r'equations?|eqs?\.',
    'algorithm': r'algorithms?|alg\.?',
    'lemma': r'lemmas?|lem\.?',
    'exercise': r'exercises?|ex\.?',
    'example': r'examples?',
    'table': r'tables?',
    'figure': r'figures?|figs?\.',
    'remark': r'remarks?|rem\.?',
    'proposition': r'propositions?',
    'assumption': r'assumptions?',
    'chapter': r'chapters?|appendix|appendices',
}
BOOKS = {
    'Jain': (JAIN, '2011'),
    'Angeles': (ANGELES, '2014'),
    'Turney': (TURNEY, '1980'),
    'Spong': (SPONG, '2006'),
    'Craig': (CRAIG, '2005'),
}
_LIST = rf'(?:{NUMBER}|{INTEGER})(?:(?:, | and | to |-|, and )(?:{NUMBER}|{INTEGER}))*'
_TOKEN = re.compile(
    rf'(?P<book>\b(?:{"|".join(BOOKS)})\b(?!-)(?:, Mudge and Lee)?(?:\'s)?)'
    r'(?:,? \(?(?P<year>(?:19|20)\d\d)\)?)?'
    rf'(?:,? (?P<bare>{NUMBER}(?:, {NUMBER})*))?'
    r'|(?P<other>\b[A-Z][a-z]+(?: et al\.?)?,? \(?(?:19|20)\d\d)'
    + ''.join(
        rf'|\b(?P<{kind}>(?i:{words})) \(?(?P<{kind}_list>{_LIST})'
        for kind, words in KINDS.items()
    )
    + rf'|(?<!= )\((?P<group>{NUMBER}[^()]*)\)'
    + r'|(?P<end>(?<!\beq)(?<!\beqs)(?<!\bsec)(?<!\bal)(?<!\b[Aa]lg)(?<!\b[Ff]ig)'
    r'[.!?](?= +[A-Z(\'"`*|]|$))'
)
_ONLY_NUMBERS = re.compile(rf'(?:{NUMBER}|{INTEGER}|to|and|in|part|[,;:-]|\s)+')


class Citation(NamedTuple):
    """One citation.

    Parameters
    ----------
    book : str
        The book, as in `contents`.
    kind : str
        'section', 'equation' and so on; 'any' for a section or an equation. An equation of three
        numbers is a section.
    number : str
        Its number.
    """

    book: str
    kind: str
    number: str


def citations(text, default=None):
    """Return the citations in a text.

    Parameters
    ----------
    text : str
        Prose on one line.
    default : str, optional
        The book that the text is about.

    Returns
    -------
    list of Citation
        In the order of the text.
    """
    found, book = [], default
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup.removesuffix('_list')
        if match['book']:
            named, year = BOOKS[re.match(r'\w+', match['book'])[0]]
            book = named if match['year'] in (None, year) else None
            found += _numbers(book, 'any', match['bare'])
        elif match['end']:
            book = default
        elif match['other']:
            book = None
        elif match['group']:
            if _ONLY_NUMBERS.fullmatch(match['group']):
                found += _numbers(book, 'equation', match['group'])
        else:
            word = match[kind].lower().rstrip('.')
            found += _numbers(
                book, kind, match[f'{kind}_list'], word.endswith(('s', 'appendices'))
            )
    return found


def _numbers(book, kind, text, several=True):
    """Return the citations of a list of numbers; none without a book or a list.

    Behind a singular word the first number is of its kind, the others are equations.
    """
    if book is None or not text:
        return []
    found = [each.rstrip('abcdefgh') for each in re.findall(rf'{NUMBER}|{INTEGER}', text)]
    if kind not in ('chapter', 'table') and not (book == TURNEY and kind == 'section'):
        found = [each for each in found if '.' in each]
    if any(each.startswith('0') and each != '0' for each in found):  # decimals
        return []
    kinds = [kind if several or at == 0 else 'any' for at in range(len(found))]
    return [
        Citation(book, 'section' if each.count('.') > 1 and of == 'equation' else of, each)
        for each, of in zip(found, kinds)
    ]


def prose(path):
    """Return the docstrings and comments of a Python file, or all of another, each on one line.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of str
        The texts.
    """
    text = path.read_text()
    if path.suffix != '.py':
        return [_joined(part) for part in re.split(r'\n\s*\n|\n(?=\||#|-)', text)]
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    found = [
        part
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kinds) and (whole := ast.get_docstring(node))
        for part in whole.split('\n\n')
    ]
    comments, last = [], -2
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            words = token.string.lstrip('#: ')
            if token.start[0] == last + 1:
                comments[-1] += ' ' + words
            else:
                comments.append(words)
            last = token.start[0]
    return [_joined(part) for part in found + comments]


def _joined(text):
    """Return a text on one line."""
    return re.sub(r'\s+', ' ', re.sub(r'\n\s*(?://|\*|#)?\s*', '\n', text)).strip()
