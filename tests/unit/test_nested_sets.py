"""Nested sets, of which bounds tell the parents, and pedigrees, in which each node has two."""

import io
import json
import random

import pandas as pd
import pytest
from click.testing import CliRunner

import tripletree as tt
from tripletree.cli import main
from tripletree.core.notes import collected
from tripletree.errors import ParseError
from tripletree.io import read_edges, read_hierarchy, read_ontology

SHOP = [*(("Food", 1, 12), ("Bread", 2, 7), ("Rye", 3, 4), ("Wheat", 5, 6), ("Cheese", 8, 11), ("Gouda", 9, 10))]
RIGHT = tt.parse_newick("((Rye,Wheat)Bread,(Gouda)Cheese)Food;")


def same(found):
    return tt.write_newick(found, lengths=False) == tt.write_newick(RIGHT, lengths=False)


@pytest.mark.parametrize(
    "bounds", ["lft,rgt", "Left,Right", "lft,rght", "tree_left,tree_right", "lb,rb", "leftId,rightId"]
)
@pytest.mark.parametrize("layout", ["{},{}", "{1},{0}", "id,{},{}", "{},depth,{}"])
@pytest.mark.parametrize("door", ["csv", "tsv", "frame", "json", "shuffled"])
def test_nested_sets__in_every_layout_and_form(bounds, layout, door):
    names = layout.format("name", bounds).split(",")
    values = [
        dict(zip(["name", *bounds.split(",")], x, strict=True)) | {"id": k, "depth": 0} for k, x in enumerate(SHOP)
    ]
    frame = pd.DataFrame(values)[names]
    if door == "frame":
        found = read_edges(frame, labels="name" if "id" in names else None)
    else:
        text = frame.sample(frac=1, random_state=1).to_csv(index=False) if door == "shuffled" else ""
        text = text or (
            frame.to_json(orient="records") if door == "json" else frame.to_csv(index=False, sep=",\t"[door == "tsv"])
        )
        read = read_edges if door == "json" else read_hierarchy
        found = read(io.StringIO(text), **({"labels": "name"} if "id" in names else {}))
    if door == "shuffled":
        assert tt.robinson_foulds(found, RIGHT) == 0
        assert set(found.names) == set(RIGHT.names)
    else:
        assert same(found)


def test_nested_sets__random_trees_come_back():
    rng = random.Random(3)
    for _ in range(60):
        parents = [-1, *(rng.randrange(k) for k in range(1, rng.randrange(2, 40)))]
        children = {k: [c for c, p in enumerate(parents) if p == k] for k in range(len(parents))}
        bounds, at, stack = {}, 0, [(0, False)]
        while stack:
            u, done = stack.pop()
            at += 1
            if done:
                bounds[u] = (bounds[u], at)
                continue
            bounds[u] = at
            stack += [(u, True), *((c, False) for c in reversed(children[u]))]
        gap = rng.choice([1, 10])
        rows = "".join(f"n{u},{gap * low},{gap * high}\n" for u, (low, high) in bounds.items())
        edges = "".join(f"n{u},{'' if p < 0 else f'n{p}'}\n" for u, p in enumerate(parents))
        one, other = read_edges(io.StringIO("name,lft,rgt\n" + rows)), read_edges(io.StringIO("child,parent\n" + edges))
        assert tt.robinson_foulds(one, other) == 0
        assert set(one.leaves) == set(other.leaves)
        assert sorted(map(str, one.names)) == sorted(map(str, other.names))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,lft,rgt\na,1,6\nb,2,4\nc,3,5\n", "line 4: the bounds 3 and 5 and those of line 3 cross"),
        ("name,lft,rgt\na,1,6\nb,4,2\n", "line 3: the bounds 4 and 2 and those of line 2 cross"),
        ("name,lft,rgt\na,1,4\nb,2,x\n", "line 3: 'x' in column 'rgt' is not a bound, which is a whole number"),
        ("name,lft,rgt\na,1,4\nb,2,\n", "'' in column 'rgt' is not a bound"),
        ("name,lft,rgt\na,1,4\na,2,3\n", "nested sets need a column that names each node once; there are 'name'"),
        ("name,lft,rgt,kg\na,1,6,.1\nb,2,3,.2\nb,4,5,.3\n", "need a column that names each node once"),
    ],
)
def test_nested_sets__bounds_that_are_none(text, words):
    with pytest.raises(ParseError) as caught:
        read_edges(io.StringIO(text))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "id,left,right\n1,2,3\n2,3,4\n3,4,5\n",
        "w,left,right\na,cat,dog\nb,cat,eel\nc,dog,eel\n",
        "label,left,top,right,bottom\na,0,1,100,5\nb,10,2,15,6\nc,20,3,25,7\nd,30,4,35,8\n",  # boxes in a picture
        "who,left,right\nann,20,24\nbob,28,39\ncy,41,44\n",  # the grip of both hands
        "ear,left,right\na,20,50\nb,30,35\nc,36,40\n",
        "id,left,right\n1,2,3\n2,4,5\n3,6,7\n",  # a binary tree by its children
    ],
)
def test_nested_sets__left_and_right_of_something_else(text):
    with collected() as notes, pytest.raises(ParseError):
        read_hierarchy(io.StringIO(text))
    assert not notes


PARENTS = [
    "father,mother",
    "sire,dam",
    "Father ID,Mother ID",
    "parent1,parent2",
    "pat,mat",
    "Vater,Mutter",
    "père,mère",
]


@pytest.mark.parametrize("parents", PARENTS)
@pytest.mark.parametrize("child", ["id", "animal", "sex,id"])
def test_pedigree__two_parents_are_told_and_either_is_read(parents, child, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [("x", "f", "m"), ("y", "f", "m"), ("z", "x", "n"), ("f", "", ""), ("m", "", ""), ("n", "", "")]
    text = f"{child},{parents}\n" + "".join(f"{'1,' * child.count(',')}{','.join(x)}\n" for x in rows)
    (tmp_path / "p.csv").write_text(text)
    for read in (read_edges, read_hierarchy, read_ontology):
        with pytest.raises(ParseError, match="in a hierarchy each node has one") as caught:
            read("p.csv")
    calls = [x.split(": ")[-1] for x in str(caught.value).split("; ")]
    first, second = (eval(x, {"read_edges": read_edges}) for x in calls)  # noqa: S307
    assert {"z", "y"} <= set(first.leaves)
    assert "m" in first.leaves
    assert "f" in second.leaves
    told = CliRunner().invoke(main, ["info", "p.csv"]).stderr
    assert "-O child_column=" in told
    assert json.dumps(parents.split(",")[0]).strip('"') in told or parents.split(",")[0] in told


@pytest.mark.parametrize("order", ["as numbered", "shuffled"])
def test_nested_sets__left_and_right_of_many_nodes(order):
    below = "\n".join(f"x{k},{2 * k + 2},{2 * k + 3}" for k in range(300))
    rows = f"top,1,602\n{below}".split("\n")
    if order == "shuffled":
        random.Random(0).shuffle(rows)
    text = "name,left,right\n" + "\n".join(rows) + "\n"
    for found in (read_hierarchy(io.StringIO(text)), read_edges(io.StringIO(text))):
        assert (found.n_leaves, found.names) == (300, ("top",))
