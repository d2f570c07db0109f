"""101, 101.0 and "101" are one name in fits with triplets, pairs, classes and a hierarchy, and in measurements."""

import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tripletree as tt
from tripletree.cli import main
from tripletree.cluster import DivisiveReCon, ReCon
from tripletree.errors import DuplicateLeafError, InvalidTripletError, UnknownLeafError

VALUES = np.array([[0.0], [0.2], [5.0], [5.3], [9.0], [9.4]])
NUMBERS = range(101, 107)
TABLES = {
    "int": list(NUMBERS),
    "float": [float(x) for x in NUMBERS],
    "text": [str(x) for x in NUMBERS],
    "numpy": pd.Index(np.arange(101, 107, dtype=np.int32)),
}
NAMES = {"int": int, "text": str, "numpy": np.int64, "float": float}
TRIPLETS = [(101, 103, 102), (104, 105, 101), (104, 105, 102)]


def table(kind):
    return pd.DataFrame(VALUES, index=TABLES[kind], columns=["x"])


def tree(as_name):
    return tt.Hierarchy.from_nested([[as_name(101), as_name(104)], [as_name(102), as_name(103)], as_name(105)])


def named_rows(as_name):
    return [tuple(map(as_name, row)) for row in TRIPLETS]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", TABLES)
def test_fits_take_both_forms(kind, name):
    as_name, X = NAMES[name], table(kind)
    right = ReCon().fit(X, triplets=[tuple(X.index[x - 101] for x in row) for row in TRIPLETS])
    for given in (named_rows(as_name), tt.TripletSet.from_labels(named_rows(as_name))):
        assert ReCon().fit(X, triplets=given).hierarchy_ == right.hierarchy_
    pairs = [(as_name(101), as_name(106))], [(as_name(101), as_name(102))]
    labels = ReCon().fit(X, pairs=pairs).labels_
    assert labels[0] == labels[5] != labels[1]
    found = ReCon().fit(X, hierarchy=tree(as_name)).hierarchy_
    assert tt.displays(found, [(X.index[0], X.index[3], X.index[1])]).all()
    classes = {as_name(101): "u", as_name(102): "u", as_name(105): "v"}
    labels = DivisiveReCon(2, random_state=0).fit(X, classes=classes).labels_
    assert labels[0] == labels[1] != labels[4]


@pytest.mark.parametrize("name", ["int", "text"])
@pytest.mark.parametrize("kind", ["int", "text", "float"])
def test_knowledge_is_measured_in_both_forms(kind, name):
    X, model = table(kind), ReCon()
    given = named_rows(NAMES[name])
    right = tt.evaluate_knowledge(X, triplets=named_rows(lambda x: X.index[x - 101]), estimator=model, n_folds=2)
    found = tt.evaluate_knowledge(X, triplets=given, estimator=model, n_folds=2)
    assert found.agreement.tolist() == right.agreement.tolist()


def test_labels_of_nobody_still_have_an_error():
    with pytest.raises(UnknownLeafError, match="1 unknown among the labels in the index of X: '99'"):
        ReCon().fit(table("int"), triplets=[("101", "102", "99")])
    found = ReCon(missing_samples="ignore").fit(table("int"), triplets=[("101", "102", "99"), ("101", "103", "102")])
    assert len(found.triplets_) == 1
    with pytest.raises(UnknownLeafError, match="'0101'"):
        ReCon().fit(table("int"), triplets=[("0101", "102", "103")])


def test_an_index_with_both_forms_keeps_them_apart():
    X = pd.DataFrame(VALUES[:4], index=pd.Index([101, "101", 102, 103], dtype=object), columns=["x"])
    found = ReCon().fit(X, triplets=[("101", "103", 101)])
    assert list(found.triplets_) == [("101", 103, 101)]


def test_one_sample_under_two_names():
    with pytest.raises(InvalidTripletError, match="must differ"):
        ReCon().fit(table("int"), triplets=[(101, "101", 102)])
    with pytest.raises(DuplicateLeafError, match="in classes once whole numbers"):
        DivisiveReCon().fit(table("int"), classes={101: "u", "101": "v"})


def test_the_way_out_is_no_circle():
    h = tt.Hierarchy.from_nested([["ant", "bee"], "cat"])
    with pytest.raises(ValueError, match="name the samples as the leaves") as caught:
        ReCon().fit(table("int"), hierarchy=h)
    assert "DataFrame" not in str(caught.value)
    with pytest.raises(ValueError, match="give X as a DataFrame whose index holds the leaves"):
        ReCon().fit(VALUES, hierarchy=h)


@pytest.mark.parametrize("node", [102, 102.0, np.int64(102), "102"])
def test_nodes_of_items_in_both_forms(node):
    h = tt.parse_newick("((101,102)A,(103,104)B);")
    assert tt.match_names([node, 103], h).attach().n_leaves == 2
    assert list(h.attach({"x": node, "y": "103"}).leaves) == ["x", "y"]
    assert h.attach({"x": node, "y": 101}) == h.attach({"x": "102", "y": "101"})
    o = tt.Ontology(["101", "102", "103"], [(1, 0), (2, 0)])
    assert o.attach({"x": node}).parents("x") == ["102"]
    assert list(o.restrict([node]).leaves) == [node if isinstance(node, str) else "102"]


def test_commands_take_columns_that_became_floats(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.nwk").write_text("((101,102)A,(103,104)B);")
    shown = []
    for k, end in enumerate(("", ".0")):
        (tmp_path / "x.csv").write_text("id,x\n" + "".join(f"{y}{end},{y % 7}\n" for y in (101, 102, 103, 104)))
        (tmp_path / "a.csv").write_text(f"item,node\nu,101{end}\nv,102{end}\nw,104{end}\n")
        outputs = [
            CliRunner().invoke(main, shlex.split(x))
            for x in (
                f"match x.csv t.nwk --tree {k}.nwk -o -",
                f"cluster x.csv --hierarchy {k}.nwk -k 2",
                "cluster x.csv --hierarchy t.nwk -k 2",
                "convert t.nwk --attach a.csv",
            )
        ]
        assert all(x.exit_code == 0 for x in outputs), outputs[-1].output
        shown.append([x.stdout for x in outputs])
    assert shown[0] == shown[1]
    assert "101,0\n102,0\n103,1\n104,1" in shown[0][1]
