"""The counts of two trees in the compiled core: what it refuses. (Their laws: ``tests/laws/test_distance_laws.py``.)"""

import numpy as np
import pytest

from tripletree._core import engine

TREE = np.array([4, 4, 5, 5, 6, 6, -1], np.int32)
WRONG = r"parents come after|leaves have no|has no children|nodes above"
NO_TREES = {
    "a node below itself": [4, 4, 5, 5, 4, 6, -1],
    "a parent that does not exist": [4, 4, 5, 5, 7, 6, -1],
    "a negative parent": [4, 4, 5, 5, -1, 6, -1],
    "a leaf as parent": [3, 4, 5, 5, 6, 6, -1],
    "an inner node without children": [4, 4, 4, 4, 6, 6, -1],
    "a root with a parent": [4, 4, 5, 5, 6, 6, 6],
    "too few nodes": [-1, -1, -1],
    "none": [],
}


@pytest.mark.parametrize("name", ["agreement", "shared_clades"])
@pytest.mark.parametrize("what", NO_TREES)
def test_compare__what_is_no_tree_is_refused(name, what):
    count, more = getattr(engine.compare, name), (True,) if name == "agreement" else ()
    wrong = np.array(NO_TREES[what], np.int32)
    count(TREE, TREE, 4, *more)
    for trees in ((TREE, wrong), (wrong, TREE)):
        with pytest.raises(ValueError, match=WRONG):
            count(*trees, 4, *more)
    for trees in ((TREE[None], TREE), (TREE, None)):
        with pytest.raises(TypeError):
            count(*trees, 4, *more)
    for n in (-1, 0, 3, 5, 8):
        with pytest.raises(ValueError, match=WRONG):
            count(TREE, TREE, n, *more)
