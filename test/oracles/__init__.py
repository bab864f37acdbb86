"""Referees of the dynamics: nothing in here shares a line with what it judges."""
