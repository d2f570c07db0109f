"""`Knowledge`: one value for all that is known of some samples, its parts, its file, and what a fit makes of it."""

import io
import itertools
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from refusals import Refusal, refusals

import tripletree as tt
from tripletree import Knowledge, cluster
from tripletree.core.comparisons import Comparisons
from tripletree.knowledge.value import KINDS

NAMES = list("abcdefgh")
TREE = tt.Hierarchy.from_nested([[["a", "b"], "c"], ["d", ["e", "f"]]])
TRIPLETS = [("a", "b", "c"), ("e", "f", "d"), ("g", "h", "a")]
PAIRS = ([("a", "b")], [("a", "e")])
CLASSES = {"a": "x", "b": "x", "d": "y", "g": "y"}
COMPARISONS = [("a", "b", "g"), ("d", "e", "a")]
EVERYTHING = {"triplets": TRIPLETS, "comparisons": COMPARISONS, "pairs": PAIRS, "hierarchy": TREE, "classes": CLASSES}
WHOLE = Knowledge.of(NAMES, **EVERYTHING)


def samples(n=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X[n // 2 :] += 4
    return X


def says(known):
    """What is said, statement by statement, by name: the definition that parts and joins are compared with."""
    found = {("triplet", frozenset((a, b)), c) for a, b, c in known.triplets}
    found |= {(kind, frozenset((a, b))) for a, b, kind in known.pairs}
    found |= {("class", x, name) for x, name in known.classes.items()}
    if known.comparisons is not None:
        leaves = known.comparisons.leaves
        found |= {("comparison", *(leaves[i] for i in row)) for row in known.comparisons.rows.tolist()}
    if known.hierarchy is not None:
        for a, b, c in tt.induce(known.hierarchy, list(itertools.combinations(known.hierarchy.leaves, 3))):
            found.add(("tree", frozenset((a, b)), c))
    return found


def named(statement):
    return set().union(*(x if isinstance(x, frozenset) else {x} for x in statement[1:])) & set(NAMES)


@pytest.mark.parametrize("kinds", [x for k in range(6) for x in itertools.combinations(KINDS, k)], ids=" ".join)
def test_knowledge__kinds_and_only(kinds):
    known = Knowledge.of(NAMES, **{kind: EVERYTHING[kind] for kind in kinds})
    assert known.kinds == kinds
    assert known == WHOLE.only(*kinds)
    assert known.leaves == tt.LeafIndex(NAMES)
    assert ("nothing is known" in repr(known)) == (not kinds)


@pytest.mark.parametrize("some", [x for k in (0, 3, 5, 8) for x in itertools.combinations(NAMES, k)], ids="".join)
def test_knowledge__a_part_says_what_is_wholly_among_its_samples(some):
    part = WHOLE.part(some)
    assert part.leaves == WHOLE.leaves
    assert says(part) == {x for x in says(WHOLE) if named(x) <= set(some)}
    assert part == WHOLE.part(np.isin(NAMES, some))
    alone = WHOLE.restrict([*some, "new"])
    assert list(alone.leaves) == [*some, "new"]
    assert says(alone) == says(part)


def test_knowledge__masks_of_other_kinds():
    mask = [x in "ace" for x in NAMES]
    for other in (mask, pd.Series(mask), pd.Series(mask, index=NAMES)[::-1], np.array(mask, object)):
        assert WHOLE.part(other) == WHOLE.part(["a", "c", "e"])


@pytest.mark.filterwarnings("ignore:1 name is another name")
def test_knowledge__restrict_takes_names_as_a_fit_does():
    known = Knowledge.of(["101", "102", "103"], classes=list("xxy"), triplets=[("101", "102", "103")])
    assert known.restrict([103, 101, 102, 7]).classes == {101: "x", 102: "x", 103: "y"}
    assert list(known.restrict([103, 101, 102, 7]).triplets) == [(101, 102, 103)]
    tree = tt.Hierarchy.from_nested([["cat", "lion"], "dog"])
    tree = tt.Hierarchy(tree.parent, tree.leaves, synonyms={"felis": "cat"})
    found = Knowledge.of(hierarchy=tree).restrict(["felis", "lion", "dog"]).hierarchy
    assert tt.displays(found, tt.TripletSet.from_labels([("felis", "lion", "dog")])).all()
    assert Knowledge.of(hierarchy=tree).restrict(["lion", "dog"]).kinds == ()


def test_knowledge__a_kind_of_which_nothing_is_left_is_none():
    left = Knowledge.of(list("abcd"), pairs=([("a", "b")], []), classes={"c": "x", "d": "y"}).part(["a", "b"])
    assert left.kinds == ("pairs",)
    assert "class" not in repr(left)
    assert Knowledge.of(list("abc"), comparisons=[]) == Knowledge.of(list("abc"))


def test_knowledge__classes_called_like_gaps_stay_apart():
    known = Knowledge.of(list("abc"), classes=["unknown", "class unknown", "x"], missing=[])
    assert len(set(known.arguments()["classes"])) == 3


def test_knowledge__the_callers_array_stays_its_own():
    rows = np.array([[0, 1, 2]], np.int32)
    known = Knowledge.of(3, comparisons=rows)
    rows[0] = [2, 1, 0]
    assert known.comparisons.rows.tolist() == [[0, 1, 2]]
    with pytest.raises(ValueError, match="read-only"):
        known.comparisons.rows[0] = 1


@pytest.mark.parametrize("order", [NAMES[::-1], ["z", *NAMES[3:], *NAMES[:3]]])
def test_knowledge__reindex_says_the_same(order):
    other = WHOLE.reindex(order)
    assert list(other.leaves) == order
    assert says(other) == says(WHOLE)
    assert (other == WHOLE) == (len(order) == len(NAMES))


@pytest.mark.parametrize("first", [x for k in range(6) for x in itertools.combinations(KINDS, k)], ids=" ".join)
def test_knowledge__joined(first):
    rest = [x for x in KINDS if x not in first]
    both = WHOLE.only(*first) | WHOLE.only(*rest)
    assert both == WHOLE
    assert says(both) == says(WHOLE)


def test_knowledge__joined_parts_of_one_kind():
    one = Knowledge.of(triplets=TRIPLETS[:1], comparisons=COMPARISONS[:1], classes={"a": "x"})
    two = Knowledge.of(triplets=TRIPLETS[1:], comparisons=COMPARISONS[1:], classes={"d": "y", "a": "x"})
    assert says(one | two) == says(one) | says(two)


def test_knowledge__what_cannot_be_joined():
    one, two = Knowledge.of(classes={"a": "x"}), Knowledge.of(classes={"a": "y"})
    with pytest.raises(ValueError, match="the class of 'a' is 'x' in one and 'y' in the other"):
        one | two
    tree = Knowledge.of(hierarchy=TREE)
    with pytest.raises(ValueError, match="supertree"):
        tree | tree
    with pytest.raises(TypeError):
        tree | 1


def test_knowledge__as_triplets_and_pairs():
    triplets = WHOLE.to_triplets()
    for part in (
        WHOLE.triplets,
        tt.decompose(TREE).reindex(WHOLE.leaves),
        WHOLE.pairs.to_triplets(),
        tt.triplets_from_classes([CLASSES.get(x) for x in NAMES], leaves=NAMES),
    ):
        assert set(part) <= set(triplets)
    classes = [CLASSES.get(x) for x in NAMES]
    expected = WHOLE.pairs | tt.pairs_from_classes(classes, leaves=NAMES)
    assert WHOLE.to_pairs().expand() == expected.expand()


@pytest.mark.parametrize(
    ("given", "holds"),
    [
        ({"triplets": [("a", "b", "c"), ("a", "c", "b")]}, False),
        ({"pairs": ([("a", "b")], [("a", "b")])}, False),
        ({"triplets": [("a", "b", "c")], "classes": {"b": 1, "c": 1}}, False),
        ({"hierarchy": TREE, "triplets": [("a", "c", "b")]}, False),
        ({"hierarchy": TREE, "comparisons": [("a", "d", "b")]}, True),
        ({"hierarchy": TREE, "pairs": ([("e", "f")], [("e", "a")])}, True),
        ({"classes": {"a": 1, "b": 2}, "pairs": ([("a", "b")], [])}, False),
        ({}, True),
    ],
)
def test_knowledge__is_consistent(given, holds):
    assert Knowledge.of(NAMES, **given).is_consistent == holds


# ---------------------------------------------------------------------- forms


def test_knowledge__forms_of_each_kind_and_of_samples():
    frame = pd.DataFrame(samples(), index=NAMES)
    table = pd.DataFrame({"a": ["a"], "b": ["b"], "link": ["must"]})
    for given in (NAMES, frame, tt.LeafIndex(NAMES)):
        assert Knowledge.of(given, **EVERYTHING) == WHOLE
    assert Knowledge.of(pairs=table).pairs == Knowledge.of(pairs=([("a", "b")], [])).pairs
    assert Knowledge.of(3, triplets=np.array([(0, 1, 2)])).leaves == tt.LeafIndex(3)
    assert Knowledge.of(triplets=np.array([(7, 5, 9)])).leaves == tt.LeafIndex([5, 7, 9])
    assert Knowledge.of(pairs=(np.array([(7, 5)]), None)).leaves == tt.LeafIndex([5, 7])
    assert Knowledge.of(classes=pd.Series({"p": "x", "q": None})).classes == {"p": "x"}
    assert Knowledge.of(comparisons=Comparisons([(0, 1, 2)], tt.LeafIndex(list("xyz")))).kinds == ("comparisons",)


def test_knowledge__a_hierarchy_in_a_file(tmp_path):
    tt.write_hierarchy(TREE, tmp_path / "tree.nwk")
    assert Knowledge.of(hierarchy=tmp_path / "tree.nwk").hierarchy == TREE


@pytest.mark.parametrize("kind", ["triplets", "pairs", "classes", "comparisons"])
def test_knowledge__names_that_are_no_samples(kind):
    given = {kind: EVERYTHING[kind]}
    with pytest.raises(tt.errors.UnknownLeafError):
        Knowledge.of(["a", "b", "q", "r"], **given)
    known = Knowledge.of(["a", "b", "q", "r"], **given, missing_samples="ignore")
    assert says(known) == {x for x in says(WHOLE.only(kind)) if named(x) <= {"a", "b"}}


def test_knowledge__it_stays_as_it_is():
    with pytest.raises(AttributeError):
        WHOLE.triplets = None
    with pytest.raises(ValueError, match="read-only"):
        WHOLE.part(NAMES).codes[0] = 3
    assert pickle.loads(pickle.dumps(WHOLE)) == WHOLE


# ---------------------------------------------------------------------- files


RICH = tt.Hierarchy(
    [6, 6, 7, 7, 8, 8, 9, 9, 9, -1],
    ["a", "b", "c", "d", "e", "f"],
    length=[1, 2, float("nan"), 1, 1, 1, 0.5, 1, 2, float("nan")],
    names=["one", None, "three", "root"],
    ranks=["species"] * 6 + ["genus"] * 3 + [None],
    incertae_sedis=[4],
    support=[[0.5, 1], [float("nan"), 2], [3, 4], [5, 6]],
    synonyms={"alpha": "a"},
)


@pytest.mark.parametrize(
    "known",
    [
        WHOLE,
        *(WHOLE.only(kind) for kind in KINDS),
        WHOLE.only(),
        Knowledge.of(hierarchy=RICH),
        Knowledge.of(hierarchy=tt.from_linkage(np.array([[0, 1, 0.5, 2], [2, 3, 1.5, 3]]), [1, 2, 3])),
        Knowledge.of([1.5, True, "x\n"], triplets=tt.TripletSet([(0, 1, 2)], [1.5, True, "x\n"], [0.25])),
        Knowledge.of(
            pairs=tt.PairwiseConstraints([(0, 1)], [(1, 2)], list("abc"), must_weights=[0.3], cannot_weights=[0.5])
        ),
        Knowledge.of(["a", "b", "c"], classes=["-1", "x", "-1"], missing=[]),
        Knowledge.of(["Zoë", "β", "c"], classes=[1, None, 2]),
    ],
    ids=str,
)
def test_knowledge__a_file_keeps_all(known, tmp_path):
    assert tt.write_knowledge(known, tmp_path / "known.json") is None
    found = tt.read_knowledge(tmp_path / "known.json")
    assert found == known
    assert list(found.leaves) == list(known.leaves)
    assert tt.write_knowledge(found) == (tmp_path / "known.json").read_text(encoding="utf-8")
    if known.hierarchy is not None:
        for name in ("names", "ranks", "synonyms"):
            assert getattr(found.hierarchy, name) == getattr(known.hierarchy, name)
        for name in ("_length", "_height", "_support", "incertae_sedis"):
            np.testing.assert_equal(getattr(found.hierarchy, name), getattr(known.hierarchy, name))


def test_knowledge__a_file_cut_off_anywhere_is_refused():
    text = tt.write_knowledge(WHOLE)
    for end in range(len(text) - 2):
        with pytest.raises(tt.ParseError):
            tt.read_knowledge(io.StringIO(text[:end]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tripletree_knowledge": 2}, "version of this file is 2"),
        ({"samples": ["a", "a"]}, "does not fit together"),
        ({"samples": None}, "does not fit together"),
        ({"triplets": {"rows": [[0, 1, 99]]}}, "does not fit together"),
        ({"triplets": [[0, 1, 2]]}, "does not fit together"),
        ({"must_link": {}}, "'rows' is missing"),
        ({"classes": {"names": ["x"], "codes": [1] * 8}}, "from -1 to 0, 8 of them"),
        ({"classes": {"names": ["x"], "codes": [0]}}, "from -1 to 0, 8 of them"),
        ({"comparisons": {"rows": [[0, 1, 8]]}}, "from 0 to 7, any x 3 of them"),
        ({"comparisons": {"rows": [[0, 1, 2.5]]}}, "must be whole numbers"),
        ({"comparisons": {"rows": [[0, 0, 1]]}}, "three different samples"),
        ({"comparisons": {"rows": [[0, 1, 2]], "who": []}}, None),
        ({"comparisons": {"rows": [[0, 1, 2]], "who": ["x", "y"]}}, "for each of the 1 comparisons"),
        ({"classes": {"names": ["x", "x"], "codes": [0] * 8}}, "does not fit together"),
        ({"classes": {"names": ["x"], "codes": [0.5] * 8}}, "must be whole numbers"),
        ({"triplet": {"rows": []}}, "the key 'triplet' is none of"),
        ({"triplets": {"rows": [[0, 1, 2]], "weights": [10**400]}}, "does not fit together"),
        ({"samples": {"a": 1}}, "samples must be a list"),
        ({"hierarchy": {"parent": [3, 3, 3, -1], "leaves": [-1, 0, 1]}}, "must be whole numbers from 0"),
        ({"hierarchy": {"parent": [2, 2, -1], "leaves": [0, 77]}}, "does not fit together"),
        ({"hierarchy": {"parent": [0], "leaves": [0]}}, "does not fit together"),
    ],
)
def test_knowledge__a_file_that_does_not_fit(change, words, tmp_path):
    path = tmp_path / "known.json"
    path.write_text(json.dumps(json.loads(tt.write_knowledge(WHOLE)) | change), encoding="utf-8")
    if words is None:  # fits
        assert tt.read_knowledge(path).kinds == WHOLE.kinds
        return
    with pytest.raises(tt.ParseError, match=words) as told:
        tt.read_knowledge(path)
    assert told.value.path == str(path)


@pytest.mark.parametrize("name", [float("inf"), float("-inf")])
def test_knowledge__numbers_that_json_lacks(name):
    with pytest.raises(TypeError, match="rename it"):
        tt.write_knowledge(Knowledge.of(["a", "b", "c"], classes=["x", name, "x"]))


def test_knowledge__names_that_json_lacks(tmp_path):
    known = Knowledge.of(triplets=[((1,), (2,), (3,))])
    with pytest.raises(TypeError, match="rename it"):
        tt.write_knowledge(known, tmp_path / "known.json")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------- fits

PAIR_MODELS = [
    cluster.ConstrainedCompleteLink(3),
    cluster.COPKMeans(3, random_state=0),
    cluster.PCKMeans(3, random_state=0),
    cluster.MPCKMeans(3, random_state=0),
    cluster.CVQE(3, random_state=0),
    cluster.BoostedConstrainedKMeans(3, n_rounds=3, random_state=0),
]
MODELS = [
    *((cluster.ReCon(3), kind) for kind in KINDS if kind != "comparisons"),
    *((cluster.DivisiveReCon(3), kind) for kind in KINDS),
    *((model, "pairs") for model in PAIR_MODELS),
]


@pytest.mark.parametrize(("model", "kind"), MODELS, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_knowledge__a_fit_with_it_is_that_with_its_parts(model, kind):
    frame = pd.DataFrame(samples(), index=NAMES)
    for known in (WHOLE.only(kind), Knowledge.of(**{kind: EVERYTHING[kind]})):
        one = model.fit(frame, **{kind: EVERYTHING[kind]}).labels_.tolist()
        attributes = {x: y for x, y in vars(model).items() if x in ("linkage_", "cluster_centers_", "distances_")}
        assert model.fit(frame, knowledge=known).labels_.tolist() == one
        assert model.fit(samples(), sample_names=NAMES, knowledge=known).labels_.tolist() == one
        for name, value in attributes.items():
            np.testing.assert_array_equal(getattr(model, name), value)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_knowledge__beside_other_arguments():
    frame = pd.DataFrame(samples(), index=NAMES)
    both = cluster.ReCon(3).fit(frame, triplets=TRIPLETS, knowledge=WHOLE.only("pairs", "classes"))
    same = cluster.ReCon(3).fit(frame, triplets=TRIPLETS, pairs=PAIRS, classes=CLASSES)
    assert both.linkage_.tolist() == same.linkage_.tolist()
    assert both.triplets_ == same.triplets_


@pytest.mark.parametrize("model", PAIR_MODELS, ids=lambda x: type(x).__name__)
def test_knowledge__a_kind_that_an_estimator_cannot_keep_is_refused(model):
    with pytest.raises(TypeError, match=f"fit of {type(model).__name__} takes no triplets="):
        model.fit(pd.DataFrame(samples(), index=NAMES), knowledge=WHOLE.only("pairs", "triplets"))


def test_knowledge__anything_else_is_refused():
    with pytest.raises(TypeError, match=r"knowledge must be a Knowledge, not .*Knowledge\.of"):
        cluster.ReCon(2).fit(samples(), knowledge=TRIPLETS)


def test_knowledge__names_that_x_lacks():
    frame = pd.DataFrame(samples(5), index=NAMES[:5])
    with pytest.raises(tt.errors.UnknownLeafError):
        cluster.ReCon(2).fit(frame, knowledge=WHOLE.only("triplets"))
    fitted = cluster.ReCon(2, missing_samples="ignore").fit(frame, knowledge=WHOLE.only("triplets"))
    assert list(fitted.triplets_) == [("a", "b", "c")]


def test_knowledge__cross_validation_hands_it_on_whole():
    from sklearn.model_selection import cross_val_score

    frame = pd.DataFrame(samples(), index=NAMES)
    seen = []

    class Noted(cluster.ReCon):
        def fit(self, X, y=None, *, knowledge=None):
            seen.append(knowledge)
            return super().fit(X, knowledge=knowledge)

    model = Noted(2, missing_samples="ignore")
    cross_val_score(model, frame, cv=2, scoring=lambda *_: 0.0, params={"knowledge": WHOLE.only("triplets")})
    assert all(x == WHOLE.only("triplets") for x in seen)
    assert len(seen) == 2


def test_knowledge__in_a_comparison_of_methods(tmp_path):
    X, y = samples(), np.repeat([0, 1], 4)
    known = Knowledge.of(8, pairs=([(0, 1)], [(0, 7)]), triplets=[(0, 1, 7)])
    methods = {"recon": cluster.ReCon(2), "pck": cluster.PCKMeans(2, random_state=0)}
    options = {"n_draws": 2, "scores": {"pairs": lambda _, model: float(len(model.pairs_))}}
    path = tmp_path / "runs.jsonl"
    found = tt.compare_methods({"recon": methods["recon"]}, {"made": (X, y)}, knowledge=known, path=path, **options)
    assert [run["pairs"] for run in found.runs] == [2.0, 2.0]
    other = tt.compare_methods(
        {"recon": methods["recon"]}, {"made": (X, y)}, knowledge=known.only(), path=path, **options
    )
    assert [run["pairs"] for run in other.runs] == [0.0, 0.0]  # not those of the file
    assert all(run["failure"] is None for run in tt.compare_methods(methods, {"made": (X, y)}, knowledge=known).runs)
    with pytest.raises(ValueError, match=r"data set 'made': knowledge must be about the rows 0 to 7: Knowledge\.of\(8"):
        tt.compare_methods(methods, {"made": (X, y)}, knowledge=WHOLE)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_knowledge__in_a_report():
    frame = pd.DataFrame(samples(), index=NAMES)
    for kind in ("pairs", "hierarchy"):
        one, two = (
            tt.report(frame, **given, n_resamples=0, n_folds=2)
            for given in ({kind: EVERYTHING[kind]}, {"knowledge": WHOLE.only(kind)})
        )
        assert str(one) == str(two)
    apart, together = (
        tt.report(frame, **given, n_resamples=0, n_folds=2)
        for given in (
            {kind: EVERYTHING[kind] for kind in ("pairs", "hierarchy")},
            {"knowledge": WHOLE.only("pairs", "hierarchy")},
        )
    )
    assert str(apart) == str(together)
    assert [x.kind for x in together.parts] == ["pairs", "hierarchy"]
    with pytest.raises(ValueError, match="nothing is known: give at least one of triplets, .*, knowledge$"):
        tt.report(frame, knowledge=WHOLE.only())


def test_knowledge__in_active_and_temporal_clustering():
    frame = pd.DataFrame(samples(), index=NAMES)
    known = WHOLE.only("pairs")
    one = cluster.ActiveClustering(cluster.PCKMeans(2, random_state=0), n_queries=0, random_state=0)
    assert one.fit(frame, knowledge=known).pairs_ == one.fit(frame, pairs=PAIRS).pairs_
    two = cluster.TemporalClustering(2, random_state=0)
    X, times, objects = np.concatenate([samples(), samples(8, 1)]), [1] * 8 + [2] * 8, NAMES * 2
    labels = two.fit(X, times=times, objects=objects, pairs=PAIRS).labels_.tolist()
    assert two.fit(X, times=times, objects=objects, knowledge=known).labels_.tolist() == labels


test_knowledge_value__refused = refusals(
    "knowledge: samples are distinct and in order",
    Refusal(lambda: Knowledge.of(["cat", "cat", "dog"], classes=list("xxy")), tt.errors.DuplicateLeafError),
    Refusal(lambda: Knowledge.of("abc"), TypeError),
    Refusal(lambda: Knowledge.of(-1), ValueError, "-1"),
    "knowledge: part refuses a mask of another length",
    Refusal(lambda: WHOLE.part(np.zeros(3, bool)), ValueError, r"shape \(8,\), not \(3,\)"),
    "knowledge: reindex needs all of whom something is said",
    Refusal(lambda kind: WHOLE.only(kind).reindex(["a", "h"]), tt.errors.UnknownLeafError, each=KINDS),
    "knowledge: a list of classes needs samples",
    Refusal(lambda: Knowledge.of(classes=["x", "y"]), TypeError, "classes must go by name"),
    "knowledge: other json is told",
    Refusal(lambda: tt.read_knowledge(io.StringIO('[{"a": 1}]')), tt.ParseError, r"Knowledge\.of joins"),
)


# ---------------------------------------------------------------------- hard and soft


SOFT = Knowledge.of(NAMES, **EVERYTHING, soft=["triplets", "classes"])


def test_soft__stays_with_the_value():
    same = [
        SOFT.part(NAMES),
        SOFT.restrict(NAMES),
        SOFT.reindex(NAMES[::-1]),
        SOFT | SOFT.only("triplets", "pairs"),
        SOFT.only("triplets", "classes") | WHOLE.only("hierarchy", "pairs", "comparisons"),
        pickle.loads(pickle.dumps(SOFT)),
        tt.read_knowledge(io.StringIO(tt.write_knowledge(SOFT))),
        WHOLE.with_soft("triplets", "classes"),
        SOFT.only(*KINDS),
    ]
    for found in same:
        assert found == SOFT
        assert found.soft & {*found.kinds} >= {"triplets", "classes"}
        assert found != WHOLE
    assert SOFT.with_soft() == WHOLE
    assert SOFT.only("pairs") == WHOLE.only("pairs")  # of which nothing is soft
    assert WHOLE.with_soft("comparisons") == WHOLE  # votes always
    assert Knowledge.of(triplets=TRIPLETS, soft="triplets").soft == {"triplets"}
    assert str(SOFT).count("(soft)") == 2


def test_soft__kinds_never_count_for_consistency():
    wrong = Knowledge.of(hierarchy=TREE, triplets=[("a", "d", "b")])
    assert not wrong.is_consistent
    assert wrong.with_soft("triplets").is_consistent
    assert wrong.with_soft("hierarchy").is_consistent


test_soft__refused = refusals(
    Refusal(lambda: Knowledge.of(triplets=TRIPLETS, soft=["triplet"]), ValueError, "called 'triplet': the kinds are"),
    Refusal(
        lambda: Knowledge.of(triplets=TRIPLETS, soft="pairs"), ValueError, "no pairs are given: give pairs=, or le"
    ),
    Refusal(lambda: WHOLE.with_soft("pair"), ValueError, "no kind of knowledge is called 'pair'"),
    Refusal(lambda: WHOLE | SOFT, ValueError, r"triplets must be soft on both sides or on neither: x\.with_soft\('tri"),
    Refusal(
        lambda: cluster.DivisiveReCon(2).fit(samples(), sample_names=NAMES, triplets=TRIPLETS, knowledge=SOFT),
        ValueError,
        "triplets must be soft on both sides",
    ),
    Refusal(
        lambda: cluster.ReCon(2).fit(samples(), sample_names=NAMES, knowledge=SOFT.only("triplets")),
        ValueError,
        r"triplets of knowledge= are soft, and ReCon lets all triplets hold: take DivisiveReCon, .*\.with_soft\(\)",
    ),
    Refusal(
        lambda: cluster.ReCon(2).fit(
            samples(), sample_names=NAMES, knowledge=SOFT.with_soft("hierarchy").only("hierarchy")
        ),
        ValueError,
        "the hierarchy of knowledge= is soft, and ReCon lets it hold: take DivisiveReCon, which weighs it, or",
    ),
    *(
        Refusal(
            lambda model: model.fit(samples(), sample_names=NAMES, knowledge=WHOLE.only("pairs").with_soft("pairs")),
            ValueError,
            "take DivisiveReCon or PCKMeans, which weigh them, or",
            each=[cluster.COPKMeans(2), cluster.ConstrainedCompleteLink(2)],
        ),
    ),
)


@pytest.mark.parametrize(
    "model", [x(2, random_state=0) for x in (cluster.PCKMeans, cluster.MPCKMeans, cluster.CVQE)], ids=str
)
def test_soft__pairs_at_a_price_are_soft_anyway(model):
    pairs = WHOLE.only("pairs")
    one, two = (
        model.fit_predict(samples(), sample_names=NAMES, knowledge=x) for x in (pairs, pairs.with_soft("pairs"))
    )
    assert np.array_equal(one, two)


def test_soft__triplets_have_a_price_in_recon():
    soft = WHOLE.only("triplets").with_soft("triplets")
    model = cluster.ReCon(2, penalty="auto").fit(samples(), sample_names=NAMES, knowledge=soft)
    assert model.penalty_ is not None


def same_fit(one, two):
    return one.hierarchy_ == two.hierarchy_ and np.array_equal(one.labels_, two.labels_) and one.noise_ == two.noise_


@pytest.mark.parametrize("kind", ["triplets", "pairs", "hierarchy", "classes"])
def test_soft__alone_it_is_the_soft_fit_and_without_it_the_hard_one(kind):
    X, known = samples(), WHOLE.only(kind)

    def fit(constraints, knowledge):
        model = cluster.DivisiveReCon(2, constraints=constraints, effort=0.1)
        return model.fit(X, sample_names=NAMES, knowledge=knowledge)

    for setting in ("auto", "hard", "soft"):
        assert same_fit(fit(setting, known.with_soft(kind)), fit("soft", known))
    others = [x for x in KINDS if x != kind]
    assert same_fit(fit("hard", known.with_soft(*others)), fit("hard", known))
    assert fit("hard", known.with_soft(*others)).constraints_ == "hard"


def truth(seed, n=24):
    """Samples of six groups in three larger ones, and the hierarchy of all of them and of the first half."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 6
    X = (2 * rng.normal(size=(6, 3)))[y] + rng.normal(size=(n, 3))

    def tree(m):
        return tt.Hierarchy.from_nested(
            [[[i for i in range(m) if y[i] == k] for k in (2 * s, 2 * s + 1)] for s in range(3)]
        )

    return X, tree(n), tree(n // 2), rng


def votes_of(tree, m, wrong, rng):
    """Random triplets of a hierarchy, a share of them wrong, by row."""
    rows = tt.sample_triplets(tree, m, random_state=rng).reindex(range(tree.n_leaves)).rows.astype(int)
    bad = rng.random(m) < wrong
    rows[bad] = rows[bad][:, [0, 2, 1]]
    return rows


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["triplets", "comparisons", "pairs", "classes"])
def test_soft__what_is_hard_holds_beside_votes(seed, kind):
    X, whole, half, rng = truth(seed)
    votes = {
        "triplets": votes_of(whole, 24, 0.3, rng),
        "comparisons": votes_of(whole, 24, 0.3, rng),
        "pairs": ([(0, 1), (0, 6), (1, 7)], [(0, 12), (2, 3)]),
        "classes": [k % 3 for k in range(24)],
    }[kind]
    known = Knowledge.of(24, hierarchy=half, soft=[kind], **{kind: votes})
    model = cluster.DivisiveReCon(3, effort=0.1).fit(X, knowledge=known)
    assert model.constraints_ == "mixed"
    held = tt.sample_triplets(half, tt.count_triplets(half), random_state=0)
    trees = [model.hierarchy_, *(model.sampled_trees_ or ())]
    assert all(tt.displays(tree, held).all() for tree in trees)
    if model.sampled_trees_:
        assert (model.triplet_probability(held) == 1).all()
        assert set(np.unique(model.clade_support_)) - {0.0, 1.0}
    if kind == "triplets":
        assert model.noise_ > 0
        wrong = ~tt.displays(whole, model.triplets_)
        assert tt.displays(model.hierarchy_, model.triplets_)[wrong].mean() < 0.5  # outvoted


def test_soft__votes_add_to_what_must_hold():
    gains = []
    for seed in range(4):
        X, whole, half, rng = truth(seed, 36)
        test = tt.sample_triplets(whole, 2000, random_state=0)
        rows = votes_of(whole, 72, 0.1, rng)
        known = Knowledge.of(36, hierarchy=half, triplets=rows, soft=["triplets"])
        scores = [
            tt.displays(cluster.DivisiveReCon(3, effort=0.2).fit(X, **given).hierarchy_, test).mean()
            for given in ({"hierarchy": half}, {"knowledge": known}, {"triplets": rows})
        ]
        gains.append([scores[1] - scores[0], scores[1] - scores[2]])
    assert (np.mean(gains, axis=0) > 0).all()


def test_soft__hard_pairs_hold_beside_soft_triplets():
    X, whole, _, rng = truth(0)
    pairs = ([(0, 6), (1, 7)], [(0, 2), (1, 3)])
    known = Knowledge.of(24, pairs=pairs, triplets=votes_of(whole, 24, 0.3, rng), soft=["triplets"])
    model = cluster.DivisiveReCon(4, constraints="hard").fit(X, knowledge=known)
    for a, b in pairs[0]:
        assert model.labels_[a] == model.labels_[b]
    for a, b in pairs[1]:
        assert model.labels_[a] != model.labels_[b]


def test_soft__validation_and_measurements_keep_it():
    X, whole, half, rng = truth(1)
    known = Knowledge.of(24, hierarchy=half, triplets=votes_of(whole, 24, 0.5, rng), soft=["triplets"])
    model = cluster.DivisiveReCon(3, effort=0.05).fit(X, knowledge=known, validate=True)  # hard ones would contradict
    assert model.validation_.settings[1] == "constraints='auto'"
    assert tt.evaluate_knowledge(X, knowledge=known, estimator=cluster.DivisiveReCon(effort=0), n_folds=2).kind
    heard = []

    class Spy(cluster.DivisiveReCon):
        def fit(self, X, y=None, *, knowledge=None, **given):
            assert "triplets" not in given
            heard.append(set() if knowledge is None else knowledge.soft & {*knowledge.kinds})
            return super().fit(X, y, knowledge=knowledge, **given)

    tt.evaluate_knowledge(X, knowledge=known, estimator=Spy(effort=0), n_folds=2)
    assert not heard[0]
    assert {"triplets"} in heard
