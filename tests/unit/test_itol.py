"""Files for iTOL: the lines that its format asks for, and labels that its files cannot hold."""

import re

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from tripletree import Hierarchy, read_newick
from tripletree.errors import InvalidLabelsError
from tripletree.plots import write_itol
from tripletree.plots.style import PALETTE

NESTED = [[("a", "b b"), "c"], [("d", "e"), ("f", "g")]]


@pytest.fixture
def tree():
    return Hierarchy.from_nested(NESTED)


def read(path):
    """The kind of a dataset, its settings, and its rows."""
    head, _, data = path.read_text(encoding="utf-8").partition("DATA\n")
    kind, separator, *rest = head.splitlines()
    assert separator == "SEPARATOR TAB"
    settings = {line.split("\t")[0]: line.split("\t")[1:] for line in rest}
    return kind, settings, [line.split("\t") for line in data.splitlines()]


def test_itol__a_tree_and_a_dataset_for_each_column(tree, tmp_path):
    columns = {"food/drink": list("xxyyyzz"), "kg": [1, 2.5, 3, 4, 5, 6, None], "food drink": {"a": "only"}}
    written = write_itol(tree, tmp_path / "new", clusters=[0, 0, 0, 1, 1, 1, 1], annotations=columns)
    names = ["tree.nwk", "cluster.txt", "food_drink.txt", "kg.txt", "food_drink_2.txt"]
    assert [x.name for x in written] == names
    assert sorted(x.name for x in (tmp_path / "new").iterdir()) == sorted(names)
    assert read_newick(written[0]) == tree

    kind, settings, rows = read(written[2])
    assert kind == "DATASET_COLORSTRIP"
    assert settings["DATASET_LABEL"] == ["food/drink"]
    assert settings["LEGEND_LABELS"] == ["y", "x", "z"]
    assert settings["LEGEND_COLORS"] == list(PALETTE[2:5])  # two clusters have the first two
    assert len(settings["LEGEND_SHAPES"]) == 3
    assert rows[1] == ["b b", PALETTE[3], "x"]
    assert [leaf for leaf, _, _ in rows] == list(tree.leaves)

    kind, settings, rows = read(written[3])
    assert kind == "DATASET_GRADIENT"
    assert {"COLOR_MIN", "COLOR_MAX", "COLOR"} <= set(settings)
    assert [(leaf, float(x)) for leaf, x in rows] == list(zip(tree.leaves, [1, 2.5, 3, 4, 5, 6], strict=False))
    assert read(written[4])[2] == [["a", PALETTE[5], "only"]]


def test_itol__clades_are_the_common_ancestors_of_two_leaves(tree, tmp_path):
    clades = {f"n{u}": u for u in range(tree.n_nodes)}
    (_, path) = write_itol(tree, tmp_path, clades=clades)
    kind, _, rows = read(path)
    assert kind == "TREE_COLORS"
    for (leaves, what, colour, name), u in zip(rows, range(tree.n_nodes), strict=True):
        assert tree.common_ancestor(leaves.split("|")) == u
        assert (what, name) == ("range", f"n{u}")
        assert re.fullmatch("#[0-9A-F]{6}", colour)


def test_itol__labels_that_its_files_cannot_hold_are_refused_before_anything_is_written(tmp_path):
    for label in ("a\tb", "a\nb", " "):
        with pytest.raises(InvalidLabelsError, match="cannot hold blank labels, tabs or line ends"):
            write_itol(Hierarchy.from_nested([label, "c"]), tmp_path / "x")
    with pytest.raises(InvalidLabelsError):
        write_itol(Hierarchy.from_nested(["a", "c"]), tmp_path / "x", annotations={"k": np.arange(3)})
    assert not (tmp_path / "x").exists()


def test_itol__names_with_tabs_are_written_on_one_line(tree, tmp_path):
    (_, path) = write_itol(tree, tmp_path, annotations={"a\tb": ["x\ty"] * 7})
    _, settings, rows = read(path)
    assert settings["DATASET_LABEL"] == ["a b"]
    assert rows[0][2] == "x y"
    assert path.name == "a_b.txt"
