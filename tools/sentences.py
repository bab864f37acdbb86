# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find long sentences in docstrings, comments and pages: python -m tools.sentences [file ...].

A sentence has at most LONGEST words. A piece of code in it counts as one. Symbols, numbers and
targets of links do not count. Without arguments all docstrings and Markdown pages are read. So are
the comments of Python, C++, interfaces and YAML. Comments on consecutive lines are one text.
"""

import ast
import itertools
import re
import sys
from pathlib import Path

LONGEST = 30

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    'benchmark',
    'config',
    'doc',
    'examples',
    'launch',
    'robodyn_control',
    'robodyn_msgs',
    'robodyn_ros',
    'test',
    'tools',
)
#: Abbreviations, whose full stop does not end a sentence.
ABBREVIATION = re.compile(
    r'\b(?:e\.g|i\.e|cf|al|vs|approx|[Ee]qs?|[Ff]igs?|[Cc]h|[Ss]ecs?|[Nn]o|pp?|vol|St)\.'
)
#: Ends of sentences, and of entries "name : ..." that semicolons separate.
END = re.compile(r'(?<=[.!?])[\'")\]]*\s+|;\s+(?=[\w, ()|]{1,60} : )')
WORD = re.compile(r'(?<!\S)["\'(*]*(?:[A-Za-z][A-Za-z\'-]+|[aA])(?=[\'",.;:?!)*]*(?:\s|$))')
ITEM = re.compile(r'\s*(?:[-*]|\d+[.)]) +(?=\S)')
#: Lines that continue no sentence: quotations, headings, tables, entries, files.
ALONE = re.compile(r' *(?:[>#|]|[*`\w]+[`\w\'", *|()+/-]{0,60}:(?: |$)|\w+(?:\.py|/) )')
RULE = re.compile(r'\s*[-=~^|:+ ]*')
FENCE = re.compile(r'^(\s*)(```+|~~~+).*?^\1\2\s*$', re.MULTILINE | re.DOTALL)


def docstrings(source):
    """Yield line and text of the docstrings of Python source."""
    kinds = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, kinds) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node)


#: Comments for tools such as linters.
FOR_TOOLS = re.compile(r'#\s*(?:noqa|type:|fmt:|pragma|nosec|!)|//\s*NOLINT')
HASHED = ('.py', '.msg', '.srv', '.action', '.yaml', '.yml')
SLASHED = ('.cpp', '.hpp', '.c', '.h')


def comment_tokens(text, suffix):
    """Yield line, column, text, and whether code stands before, of the comments of a source."""
    mark = re.compile(r'(?:^|\s)(//.*)' if suffix in SLASHED else r'(?:^|\s)(#.*)')
    for number, line in enumerate(text.splitlines(), start=1):
        found = mark.search(line)
        if found:
            yield number, found.start(1), found[1], bool(line[: found.start(1)].strip())
    if suffix in SLASHED:
        for found in re.finditer(r'/\*.*?\*/', text, flags=re.DOTALL):
            inner = re.sub(r'(?m)^\s*\*+/?', '', found[0].strip('/*'))
            for k, line in enumerate(inner.splitlines()):
                yield text.count('\n', 0, found.start()) + 1 + k, 0, line, False


def comments(text, suffix):
    """Yield line and text of the comments; those on consecutive lines as one.

    A comment behind code begins a text, which lines of comment in its column continue.
    """
    block, first, last, column = [], 0, 0, -1
    for line, at, comment, behind in comment_tokens(text, suffix):
        if FOR_TOOLS.match(comment):
            continue
        if block and (behind or line != last + 1 or at != column):
            yield first, '\n'.join(block)
            block = []
        if not block:
            first = line
        last, column = line, at
        block.append(re.sub(r'^(?:#:?|///?<?!?) ?', '', comment))
    if block:
        yield first, '\n'.join(block)


def prose_of_page(text):
    """Return Markdown without code, equations, comments and targets of links."""
    text = FENCE.sub('\n', text)
    text = re.sub(r'<!--.*?-->|<[^<>\n]*>', '', text, flags=re.DOTALL)
    text = re.sub(r'(?<=\n\n)(?:    .*\n)+', '', text)
    text = re.sub(r'\$\$.*?\$\$|\$[^$]+\$', 'x', text, flags=re.DOTALL)
    return re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', text)


def blocks(text):
    """Yield paragraphs, items and entries of a docstring or page, each as one line.

    A block also ends where the indentation changes. Titles and lines of tables are left out.
    """
    block, indentation = [], 0
    lines = [*text.splitlines(), '']
    for line, following in zip(lines, [*lines[1:], '']):
        item = ITEM.match(line)
        shift = len(line) - len(line.lstrip())
        titled = line.strip() and re.fullmatch(r'\s*[-=~^]{3,}\s*', following)
        alone = item or ALONE.match(line) or titled or not line.strip()
        if block and (alone or shift != indentation):
            yield ' '.join(block)
            block = []
        indentation = item.end() if item else shift
        of_table = line.lstrip().startswith('|') or re.search(r'\S {3,}\S', line)
        if not (titled or of_table or RULE.fullmatch(line)):
            block.append(line[item.end() if item else 0 :].strip(' >#'))


def sentences(text):
    """Yield the sentences of a docstring or of the prose of a page."""
    for block in blocks(text):
        block = re.sub(r'``[^`]+``|`[^`]+`', 'Code', block)
        yield from END.split(ABBREVIATION.sub(lambda found: found[0].replace('.', ''), block))


def long_sentences(path):
    """Yield line, number of words and text of each sentence of a file that is too long."""
    text = path.read_text()
    parts = [(1, prose_of_page(text))]
    if path.suffix != '.md':
        own = docstrings(text) if path.suffix == '.py' else ()
        parts = itertools.chain(own, comments(text, path.suffix))
    for line, part in parts:
        if len(part.split()) <= LONGEST:
            continue
        for sentence in sentences(part):
            words = len(WORD.findall(sentence))
            if words > LONGEST:
                yield line, words, sentence


def findings(paths=None):
    """Yield a line for each long sentence, file and line first."""
    if paths is None:
        found = (ROOT / folder for folder in FOLDERS)
        paths = [*ROOT.glob('*.md'), *(path for folder in found for path in folder.rglob('*.*'))]
        paths = sorted(
            path
            for path in paths
            if path.suffix in ('.md', *HASHED, *SLASHED) and '__kernels__' not in path.parts
        )
    for path in paths:
        for line, words, sentence in long_sentences(path):
            yield f'{path.relative_to(ROOT)}:{line}: {words} words: {sentence}'


if __name__ == '__main__':
    wrong = list(findings([Path(name).resolve() for name in sys.argv[1:]] or None))
    print('\n'.join(wrong) or 'Sentences: no findings.')
    sys.exit(bool(wrong))
