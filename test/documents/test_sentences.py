# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sentences of docstrings, comments and pages are short."""

import pytest

from tools.sentences import LONGEST, findings, long_sentences

TEN = 'one two three four five six seven eight nine ten'


def test_no_sentence_of_the_repository_is_long():
    assert list(findings()) == []


def test_a_long_sentence_is_found_in_a_docstring_and_on_a_page(tmp_path):
    page, module = tmp_path / 'page.md', tmp_path / 'module.py'
    for text, found in ((f'{TEN} {TEN}.', 0), (f'{TEN}\n{TEN} more.', LONGEST + 1)):
        page.write_text(f'# Title\n\n{text} Short one.\n')
        module.write_text(f'"""{text}"""\n')
        for path in (page, module):
            assert [words for _, words, _ in long_sentences(path)] == [found] * (found > 0)


def test_code_tables_and_entries_are_no_words(tmp_path):
    (tmp_path / 'page.md').write_text(
        f'`{TEN}` {TEN}\n[{TEN[4:]}](a/b.md).\n\n    {TEN} {TEN} {TEN}\n\n'
        f'| {TEN} {TEN} {TEN} |\n\n- {TEN} {TEN}\n- {TEN}, e.g. {TEN[:10]}.\n\n'
        f'```\n{TEN} {TEN} {TEN}\n```\n'
    )
    assert list(long_sentences(tmp_path / 'page.md')) == []


@pytest.mark.parametrize(
    ('suffix', 'mark'),
    [('.py', '#'), ('.py', '#:'), ('.cpp', '//'), ('.hpp', '///'), ('.msg', '#'), ('.yaml', '#')],
)
def test_comments_on_consecutive_lines_are_one_text(tmp_path, suffix, mark):
    source = tmp_path / f'source{suffix}'
    source.write_text(f'{mark} {TEN}\n{mark} {TEN} more.\n')
    assert [(line, words) for line, words, _ in long_sentences(source)] == [(1, LONGEST + 1)]


def test_a_block_comment_of_cpp_is_read(tmp_path):
    source = tmp_path / 'source.cpp'
    source.write_text(f'int i;\n/**\n * {TEN}\n * {TEN} more.\n */\n')
    assert [words for _, words, _ in long_sentences(source)] == [LONGEST + 1]


@pytest.mark.parametrize(('suffix', 'mark'), [('.py', '#'), ('.hpp', '///<'), ('.srv', '#')])
def test_each_comment_behind_code_is_a_text_of_its_own(tmp_path, suffix, mark):
    source = tmp_path / f'source{suffix}'
    code = 'a = 1' if suffix == '.py' else 'int8 a'
    source.write_text(f'{code}  {mark} {TEN} {TEN[:7]}\n{code}  {mark} {TEN} {TEN[:7]}\n')
    assert list(long_sentences(source)) == []
    source.write_text(f'{code}  {mark} {TEN}\n{" " * len(code)}  {mark} {TEN} more\n')
    assert [words for _, words, _ in long_sentences(source)] == [LONGEST + 1]
