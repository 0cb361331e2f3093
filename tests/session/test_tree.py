"""Rule 6, in memory: a tree that does not hang together is an error that names both ids, never a shorter path."""

from __future__ import annotations

import pytest

from jupyter_history.errors import BrokenChain
from jupyter_history.store.records import Head
from jupyter_history.tree import Tree


def head(id: str, parent: str | None, n: int) -> Head:
    return Head(id, n, parent, n, None, "", "", "complete", "offline", 0.0, None, 0.0, 0)


def chain(length: int) -> Tree:
    tree = Tree()
    tree.add(head(f"t{n}", f"t{n - 1}" if n else None, n + 1) for n in range(length))
    return tree


def test_a_turn_whose_parent_is_not_there_is_refused() -> None:
    tree = chain(2)
    with pytest.raises(BrokenChain, match=r"child.*gone"):
        tree.add([head("child", "gone", 3)])
    assert len(tree) == 2


def test_a_path_over_a_turn_that_is_gone_is_refused() -> None:
    tree = chain(4)
    del tree.heads["t1"]
    with pytest.raises(BrokenChain, match=r"t2.*t1.*missing"):
        tree.path("t3")
    with pytest.raises(BrokenChain, match="gone"):
        tree.path("gone")


def test_a_cycle_is_refused() -> None:
    tree = chain(4)
    tree.heads["t1"] = tree.heads["t1"]._replace(parent="t3")
    with pytest.raises(BrokenChain, match=r"t3.*t1"):
        tree.path("t3")


def test_a_path_has_no_depth_limit() -> None:
    tree = chain(100_000)
    path = tree.path("t99999")
    assert (len(path), path[0], path[-1]) == (100_000, "t0", "t99999")
    assert tree.leaf("t0") == "t99999"
