"""tqDist, scikit-bio and DendroPy where they measure the same."""

import numpy as np
import pytest
from examples import caterpillar, contracted, uniform_binary, yule

from tripletree.algorithms.compare import compare_triplets, robinson_foulds
from tripletree.core.hierarchy import Hierarchy
from tripletree.io import write_newick


def pairs(rng, n=60):
    """Pairs of hierarchies of several shapes whose leaves are named t0, t1, ..."""
    makers = (yule, uniform_binary, lambda n, _: caterpillar(n))
    for make in makers:
        for share in (0, 0.5):
            h1, h2 = (contracted(make(n, rng), share, rng) for _ in range(2))
            names = [f"t{i}" for i in range(n)]
            yield Hierarchy(h1.parent, names), Hierarchy(h2.parent, rng.permutation(names).tolist())
            coarse = contracted(h1, 0.4, rng)
            yield Hierarchy(h1.parent, names), Hierarchy(coarse.parent, names)


def test_tqdist__triplet_distance(rng):
    tqdist = pytest.importorskip("tqdist", reason="pip install tqdist (it compiles C++)")
    for h1, h2 in [*pairs(rng), *pairs(rng, 700)]:
        # its other function, which takes files, kills the process (tqdist 1.0)
        expected = tqdist.triplet_distance_raw(write_newick(h1), write_newick(h2))
        assert compare_triplets(h1, h2).fraction == pytest.approx(expected, rel=1e-15, abs=0)


def test_skbio__compare_rfd(rng):
    skbio = pytest.importorskip("skbio")
    for h1, h2 in pairs(rng):
        one, two = (skbio.TreeNode.read([write_newick(h)]) for h in (h1, h2))
        for proportion in (False, True):
            expected = one.compare_rfd(two, proportion=proportion, rooted=True)
            assert robinson_foulds(h1, h2, normalized=proportion) == pytest.approx(np.nan_to_num(expected), abs=1e-15)


def test_dendropy__symmetric_difference_of_rooted_trees(rng):
    dendropy = pytest.importorskip("dendropy")
    from dendropy.calculate.treecompare import symmetric_difference

    for h1, h2 in pairs(rng):
        taxa = dendropy.TaxonNamespace()
        options = {"schema": "newick", "taxon_namespace": taxa, "rooting": "force-rooted"}
        one, two = (dendropy.Tree.get(data=write_newick(h), **options) for h in (h1, h2))
        assert robinson_foulds(h1, h2) == symmetric_difference(one, two)
