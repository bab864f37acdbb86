# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sentences of docstrings and pages are short."""

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
