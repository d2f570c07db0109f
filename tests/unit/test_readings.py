"""A triplet follows from a file only if it holds in every reading of it."""

import io
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from readings import READINGS

import tripletree as tt
from tripletree.algorithms import all_triplets
from tripletree.cluster import DivisiveReCon
from tripletree.errors import TripletreeError
from tripletree.interop import from_dot, from_networkx, to_children, to_dot, to_edge_table, to_networkx
from tripletree.io import read_dot, write_edges, write_lineages


def statements(labels):
    """All triplets of some labels, each once."""
    return [(a, b, c) for a, b, c in permutations(labels, 3) if a < b]


@pytest.mark.parametrize("reading", READINGS, ids=lambda r: r.kind)
@pytest.mark.filterwarnings("ignore")
def test_readings__the_triplets_are_those_of_every_reading(reading, tmp_path):
    read = tt.read_ontology if reading.ontology else tt.read_hierarchy
    if reading.refused:
        with pytest.raises(TripletreeError) as error:
            read(reading.written(tmp_path), **reading.options)
        assert reading.refused in str(error.value)
        return
    h = read(reading.written(tmp_path), **reading.options)
    assert sorted(map(str, h.leaves)) == sorted(reading.leaves.split())
    if getattr(h, "rooted", True) is False:
        assert not reading.certain
        with pytest.raises(TripletreeError, match="has a root"):
            tt.displays(h, statements(h.leaves))
        return
    certain = {frozenset([frozenset(ab.split()), c]) for ab, c in (x.split(" | ") for x in reading.certain)}
    said = statements(list(map(str, h.leaves)))
    shown = tt.displays(h, said)
    found = {frozenset([frozenset([a, b]), c]) for (a, b, c), yes in zip(said, shown, strict=True) if yes}
    assert found == certain


def test_readings__labels_of_the_genus_do_no_harm_to_labels_of_the_species():
    """A dozen specimens are determined to their genus: as hard knowledge, "neither species of it" would part them."""
    rng = np.random.default_rng(3)
    species = {"robur": (0, 0), "rubra": (0, 3), "rubrum": (9, 0), "saccharum": (9, 3)}
    true = [list(species)[i % 4] for i in range(40)]
    X = pd.DataFrame([species[x] + rng.normal(size=2) * 0.4 for x in true], index=[f"p{i}" for i in range(40)])
    plants = tt.parse_newick("((robur,rubra)Quercus,(rubrum,saccharum)Acer)plants;")
    genus = {x: plants.names[plants.parent[i] - 4] for i, x in enumerate(plants.leaves)}
    labels = {x: genus[true[i]] if i < 24 and i % 2 == 0 else true[i] for i, x in enumerate(X.index)}
    known, truth = plants.attach(labels), plants.attach(dict(zip(X.index, true, strict=True)))
    assert tt.displays(truth, all_triplets(known)).all()
    assert not tt.displays(truth, all_triplets(plants.attach(labels, exact=True))).all()
    assert tt.pairwise_f_score(true, DivisiveReCon(4).fit(X, hierarchy=known).labels_) == 1


@pytest.mark.parametrize("text", ["[&U] ((a,b),(c,d));", "((a,b),c[&incertae_sedis=1],d);"])
def test_readings__forms_without_the_marks_say_so(text):
    h = tt.parse_newick(text)
    with pytest.warns(UserWarning, match="a table of edges cannot say that .*; Newick, NEXUS and JSON can"):
        write_edges(h)
    named = tt.Hierarchy(
        [3, 3, 4, 4, -1], list("abc"), names=["x", "y"], incertae_sedis=[2, 3], rooted="&U" not in text
    )
    for write in (write_lineages, to_edge_table, tt.to_linkage, to_children):
        with pytest.warns(UserWarning, match="cannot say that .*; Newick, NEXUS and JSON can"):
            write(named)


@pytest.mark.parametrize("rooted", [True, False])
def test_readings__graphs_keep_the_marks(rooted):
    h = tt.Hierarchy(
        [3, 3, 4, 4, -1], list("abc"), names=["x", "98"], incertae_sedis=[2, 3], rooted=rooted, support=[90, np.nan]
    )
    assert h.incertae_sedis.sum() == 2
    for again in (from_networkx(to_networkx(h)), from_dot(to_dot(h)), read_dot(io.StringIO(to_dot(h)))):
        assert again == h
        assert again.names == h.names
        np.testing.assert_array_equal(again.support, h.support)
