"""All items of Jain's chapters 1 to 10, in the order of the book."""

from robodyn_ros.formulations.jain import (
    items_chapters_1_to_3, items_chapters_4_to_5, items_chapters_6_to_9, items_chapter_10)

ITEMS = (items_chapters_1_to_3.ITEMS + items_chapters_4_to_5.ITEMS
         + items_chapters_6_to_9.ITEMS + items_chapter_10.ITEMS)
