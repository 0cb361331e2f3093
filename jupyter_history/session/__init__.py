"""A conversation as its user holds it: `session.Session` is what is held, each module keeps one promise of it.

`cells` (what running a cell means), `standing` (the tip, other writers, what could not be saved), `asking` (what is
sent), `exchange` (where a turn ends).
"""
