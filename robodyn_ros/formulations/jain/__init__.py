"""Jain, Robot and Multibody Dynamics (2011), chapters 1 to 10: the spatial-operator view.

numpy only, the symbols of the book, one subject a file. index.py (and doc/jain.md, written from
it) says item by item where everything is, here and among the fast recursions.
"""
