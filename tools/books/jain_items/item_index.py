# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All items of Jain's chapters and appendices, by their numbers."""

from tools.books.jain_items import (
    appendix_a,
    appendix_b,
    chapter_10,
    chapter_13,
    chapter_18,
    chapter_19,
    chapters_1_to_3,
    chapters_4_to_5,
    chapters_6_to_7,
    chapters_8_to_9,
    chapters_11_to_12,
    chapters_14_to_15,
    chapters_16_to_17,
)

ITEMS = sum(
    (
        part.ITEMS
        for part in (
            chapters_1_to_3,
            chapters_4_to_5,
            chapters_6_to_7,
            chapters_8_to_9,
            chapter_10,
            chapters_11_to_12,
            chapter_13,
            chapters_14_to_15,
            chapters_16_to_17,
            appendix_a,
            appendix_b,
            chapter_18,
            chapter_19,
        )
    ),
    (),
)
