"""`predict_taxon`: the shares of named groups among the votes of the nearest samples that the hierarchy has."""

import pickle

import numpy as np
import pandas as pd
import pytest
from examples import yule
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

import tripletree as tt
from tripletree.cluster import DivisiveReCon, ReCon, TaxonPredictions


def shares_by_definition(X, names, taxonomy, x, metric):
    """For each named group: the votes of the members among the five nearest samples that the taxonomy has."""
    distance = {i: cdist([x], [X[i]], metric)[0, 0] for i, name in enumerate(names) if name in taxonomy.leaves}
    near = sorted(distance, key=lambda i: (distance[i], i))[:5]
    if x.tolist() in [X[i].tolist() for i in distance]:
        near = near[:1]
    weight = {i: 1.0 if len(near) == 1 else 1 / distance[i] for i in near}
    whole = sum(weight.values())
    return {
        name: sum(w for i, w in weight.items() if names[i] in taxonomy.clade(u)) / whole
        for u, name in enumerate(taxonomy.names, taxonomy.n_leaves)
        if name is not None
    }


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(3)
    tree = yule(30, rng)
    names = [f"s{i}" for i in range(40)]
    called = [f"g{k}" if k % 3 else None for k in range(tree.n_nodes - 30)]
    taxonomy = tt.Hierarchy(tree.parent, names[:30], names=called)
    return rng.normal(size=(40, 3)), names, taxonomy, rng.normal(size=(25, 3))


@pytest.mark.parametrize(
    ("model", "metric"),
    [
        (DivisiveReCon(3, effort=0), "euclidean"),
        (DivisiveReCon(3, metric="cityblock"), "cityblock"),
        (ReCon(3), "euclidean"),
        (ReCon(3, linkage="average", metric="chebyshev"), "chebyshev"),
    ],
)
def test_predict_taxon__by_its_definition(world, model, metric):
    X, names, taxonomy, new = world
    fitted = model.fit(X, sample_names=names, hierarchy=taxonomy)
    some = np.concatenate([new, X[[3, 35]]])  # one that the taxonomy has, and one that it has not
    found = fitted.predict_taxon(some)
    assert isinstance(found, TaxonPredictions)
    assert found.probability.shape == (27, len(found.names))
    for x, row in zip(some, found.probability.tolist(), strict=True):
        wanted = shares_by_definition(X, names, taxonomy, x, metric)
        assert set(found.names) == set(wanted)
        assert dict(zip(found.names, row, strict=True)) == pytest.approx(wanted)
    again = pickle.loads(pickle.dumps(fitted)).predict_taxon(some)
    np.testing.assert_array_equal(again.probability, found.probability)


@pytest.mark.parametrize("least", [0.5, 0.75, 0.95])
def test_predict_taxon__best_is_the_smallest_group_with_so_much(world, least):
    X, names, taxonomy, new = world
    found = DivisiveReCon(3, effort=0).fit(X, sample_names=names, hierarchy=taxonomy).predict_taxon(new)
    size = {name: len(taxonomy.clade(taxonomy.n_leaves + k)) for k, name in enumerate(taxonomy.names) if name}
    told = found.best(least)
    assert len(set(told)) > 2
    for name, row in zip(told, found.probability, strict=True):
        sure = [x for x, p in zip(found.names, row, strict=True) if p > least]
        assert name == min(sure, key=lambda x: size[x], default=None)
    frame = found.to_frame(least=least)
    assert len(frame) == (found.probability > least).sum()
    assert (frame.probability > least).all()


def test_predict_taxon__distances_that_are_given_and_frames(world):
    X, names, taxonomy, new = world
    frame = pd.DataFrame(X, index=names, columns=list("abc"))
    wanted = DivisiveReCon(3, metric="precomputed").fit(cdist(X, X), sample_names=names, hierarchy=taxonomy)
    found = (
        DivisiveReCon(3, effort=0).fit(frame, hierarchy=taxonomy).predict_taxon(pd.DataFrame(new, columns=list("abc")))
    )
    np.testing.assert_allclose(wanted.predict_taxon(cdist(new, X)).probability, found.probability)


def test_predict_taxon__text_and_gaps():
    frame = pd.DataFrame(
        {"kg": [190.0, 4.0, None, 600.0, 500.0], "diet": ["meat", "meat", "meat", "plants", "plants"]},
        index=["lion", "cat", "wolf", "cow", "horse"],
    )
    taxonomy = tt.parse_newick("((lion,cat,wolf)Carnivora,(cow,horse)Ungulata);")
    model = DivisiveReCon(2, metric="gower").fit(frame, hierarchy=taxonomy)
    new = pd.DataFrame({"kg": [None, 20.0], "diet": ["plants", "meat"]}, index=["deer", "fox"])
    assert model.predict_taxon(new).best() == ["Ungulata", "Carnivora"]
    assert "fox" in set(model.predict_taxon(new).to_frame(new.index)["sample"])


def test_predict_taxon__needs_a_fit_with_named_groups():
    X = [[0.0], [1.0], [5.0], [6.0]]
    with pytest.raises(NotFittedError):
        DivisiveReCon(2).predict_taxon(X)
    with pytest.raises(ValueError, match=r"fit was given no hierarchy, .*: fit\(X, hierarchy=taxonomy\)"):
        DivisiveReCon(2).fit(X).predict_taxon(X)
    with pytest.raises(ValueError, match="whose inner nodes have no names"):
        ReCon(2).fit(X, hierarchy=tt.parse_newick("((0,1),(2,3));")).predict_taxon(X)
    found = ReCon(2).fit(X, hierarchy=tt.parse_newick("((0,1)a,(2,3)b);")).predict_taxon(X)
    assert found.best() == ["a", "a", "b", "b"]
    with pytest.raises(ValueError, match="least"):
        found.best(0.4)
    with pytest.raises(ValueError, match="sample_names has 1 names for 4 samples"):
        found.to_frame(["x"])
    assert str(found).startswith("4 samples, 4 with a taxon")


def test_predict_taxon__a_later_fit_without_a_hierarchy_has_no_taxa():
    X = [[0.0], [1.0], [5.0], [6.0]]
    model = ReCon(2).fit(X, hierarchy=tt.parse_newick("((0,1)a,(2,3)b);"))
    model.fit(X)
    with pytest.raises(ValueError, match="no hierarchy"):
        model.predict_taxon(X)
