"""Names of inner nodes that are not names: placeholders, which contract, and numbers, which are support."""

from __future__ import annotations

import io
import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tripletree as tt
from tripletree import Hierarchy, parse_newick, write_newick
from tripletree.core.confidence import apart
from tripletree.core.notes import collected
from tripletree.core.placeholders import Placeholders
from tripletree.io import (
    join_hierarchies,
    read_hierarchies,
    read_hierarchy,
    read_lineages,
    read_support,
    write_hierarchy,
    write_nexus,
)

NAN = float("nan")


def newick(node):
    if isinstance(node, str):
        return node
    name, below = node
    return "(" + ",".join(map(newick, below)) + ")" + (f"'{name}'" if name else "")


def phyloxml(node):
    name, below = (node, []) if isinstance(node, str) else node
    called = f"<name>{name}</name>" if name else ""
    return f"<clade>{called}{''.join(map(phyloxml, below))}</clade>"


def nexml(node):
    nodes, edges = [], []

    def add(x, above):
        name, below = (x, []) if isinstance(x, str) else x
        k = len(nodes)
        nodes.append(f'<node id="n{k}"' + (f' label="{name}"' if name else "") + (' root="true"/>' if k == 0 else "/>"))
        if above is not None:
            edges.append(f'<edge source="n{above}" target="n{k}"/>')
        for y in below:
            add(y, k)

    add(node, None)
    return f'<nexml><trees><tree id="t">{"".join(nodes)}{"".join(edges)}</tree></trees></nexml>'


def nested(node):
    if isinstance(node, str):
        return {"name": node}
    return {"name": node[0], "children": [nested(x) for x in node[1]]}


def flat(node):
    rows = []

    def add(x, above):
        name, below = (x, []) if isinstance(x, str) else x
        k = f"id{len(rows)}"
        rows.append({"id": k if below else name, "name": name, "parent": above})
        for y in below:
            add(y, k)

    add(node, None)
    return rows


WRITERS = {
    "newick": lambda x: newick(x) + ";",
    "nexus": lambda x: f"#NEXUS\nbegin trees;\ntree one = {newick(x)};\nend;",
    "json": lambda x: json.dumps(nested(x)),
    "flat": lambda x: json.dumps(flat(x)),
    "phyloxml": lambda x: f"<phyloxml><phylogeny>{phyloxml(x)}</phylogeny></phyloxml>",
    "nexml": nexml,
}


def read(text, **options):
    return read_hierarchy(io.StringIO(text), **options)


# ---------------------------------------------------------------------- placeholders

TREE = (
    "Felidae",
    [
        ("Felis", ["catus", "silvestris"]),
        ("unclassified Felidae", ["a", ("Lynx", ["lynx", "rufus"])]),
        ("Felidae_incertae_sedis", ["b", ("uncultured", ["c", "d"])]),
        ("Panthera sp. 7", ["e", "f"]),
    ],
)


@pytest.mark.parametrize("form", WRITERS)
def test_placeholders_contract_in_every_format(form):
    text = WRITERS[form](TREE)
    with collected() as notes:
        h = read(text)
    assert ("placeholders", "3 placeholder nodes contracted") in notes
    assert h == parse_newick(
        "((catus,silvestris),a[&incertae_sedis=1],(lynx,rufus)[&incertae_sedis=1],b[&incertae_sedis=1],"
        "c[&incertae_sedis=1],d[&incertae_sedis=1],(e,f)[&incertae_sedis=1]);"
    )
    assert sorted(h.open_leaves) == ["a", "b", "c", "d"]
    whole = read(text, placeholders=False)
    assert whole.incertae_sedis is None
    assert whole.n_nodes == h.n_nodes + 3
    more = read(text, placeholders="felis,Lynx")
    assert {"catus", "silvestris", "lynx", "rufus"} <= set(more.open_leaves)
    with pytest.raises(TypeError, match="placeholders must be True, False, or names"):
        read(text, placeholders=3)


def test_the_same_tree_as_lineages():
    paths = [
        "Felidae;Felis;catus",
        "Felidae;Felis;silvestris",
        "Felidae;unclassified Felidae;Lynx;lynx",
        "Felidae;unclassified Felidae;Lynx;rufus",
    ]
    lines = read_lineages(io.StringIO("\n".join(paths)))
    tree = parse_newick("((catus,silvestris)Felis,((lynx,rufus)Lynx)unclassified_Felidae)Felidae;")
    assert lines == tree


def test_no_leaf_and_no_root_is_a_placeholder_of_a_tree():
    h = parse_newick("((uncultured_bacterium,Quercus_sp.)Oaks,c)unclassified;")
    assert h.incertae_sedis is None
    assert h.names == ("Oaks", "unclassified")


@given(st.data())
def test_each_inner_name_is_asked(data):
    """By the definition: node by node, without the search for signs in many names at once."""
    some = ["Felis", "uncultured", "Incertae Sedis", "Quercus sp. 7", "Fungi_X", "Fungi", None, "metagenome", "a\0b"]
    k = data.draw(st.integers(1, 12))
    names = data.draw(st.lists(st.sampled_from(some), min_size=k, max_size=k))
    parent = [data.draw(st.integers(u + 1, k)) if u < k - 1 else -1 for u in range(k)]
    parent = [min(p, k - 1) if p >= 0 else -1 for p in parent]
    usual = Placeholders.of(True)
    found = usual.kinds(names, np.array(parent), inner=np.ones(k, np.bool_))
    above = [names[p] if p >= 0 else None for p in parent]
    assert found.tolist() == [0 if x is None else usual.kind(x, y) for x, y in zip(names, above, strict=True)]


def test_the_root_is_put_before_placeholders_are_looked_for():
    text = "[&U] (a,b,((c,d)unclassified,out)X);"
    h = read(text, outgroup="out")
    assert h.rooted
    assert sorted(h.open_leaves) == ["c", "d"]
    asked = tt.induce(h, [("a", "b", "c"), ("c", "d", "a"), ("a", "b", "out"), ("c", "d", "out")])
    assert asked.odd.tolist() == [-1, -1, 2, 2]


def test_all_trees_of_a_file_and_a_joined_family():
    text = "((a,b)Unclassified,c);((a,c)x,b);"
    first, second = (h for _, h in read_hierarchies(io.StringIO(text)))
    assert (first.open_leaves, second.open_leaves) == (["a", "b"], [])
    assert [h.open_leaves for _, h in read_hierarchies(io.StringIO(text), placeholders=False)] == [[], []]
    joined = read("((a,b)x,c)Uralic;((d,e)y,f)Unclassified;", join=True)
    assert joined.names == ("x", "Uralic", "y", None)
    assert joined.open_leaves == ["f"], "y is open as a whole"
    assert joined.incertae_sedis.sum() == 2


# ---------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("label", "name", "support"),
    [
        ("98", None, 98),
        ("0.97", None, 0.97),
        ("94.3/99", None, 94.3),
        ("100.0:g__X", "g__X", 100),
        ("Firmicutes(100)", "Firmicutes", 100),
        ("Firmicutes [98.5%]", "Firmicutes", 98.5),
        ("Felis (1758)", "Felis (1758)", NAN),
        ("16S_clade", "16S_clade", NAN),
        ("3-methyl", "3-methyl", NAN),
        ("nano", "nano", NAN),
    ],
)
@pytest.mark.parametrize("form", ["newick", "nexus", "phyloxml", "nexml"])
def test_numbers_are_support_and_names_are_names(form, label, name, support):
    text = WRITERS[form]((None, [(label, ["a", "b"]), "c"]))
    h = read(text)
    assert h.names == (None if name is None else (name, None))
    found = h.support if h.support is not None else [NAN, NAN]
    np.testing.assert_array_equal(found, [support, NAN])
    again, same = read_support(io.StringIO(text))
    assert (again, again.names) == (h, h.names)
    np.testing.assert_array_equal(same, found)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(((a,b)9604,c)9596,d)207598;", ("9604", "9596", "207598")),
        ("(((a,b)3,c)2,d)1;", ("3", "2", "1")),
        ("(((a,b)6,c)7,d)5;", ("6", "7", "5")),
        ("(((a,b)'Prevotella (1)',c)'Prevotella (2)',d);", ("Prevotella (1)", "Prevotella (2)", None)),
    ],
)
def test_numbers_that_are_names(text, names):
    h = parse_newick(text)
    assert h.names == names
    assert h.support is None
    if names[0][-1] != ")":  # whoever asks for support gets the numbers
        assert read_support(io.StringIO(text))[1].tolist() == list(map(float, names))


def test_numbers_of_few_nodes_are_support():
    assert parse_newick("(((a,b)98,c)99,d)100;").support.tolist() == [98, 99, 100]
    assert parse_newick("((a,b)2,c)1;").support.tolist() == [2, 1]
    assert parse_newick("(((a,b)1000.5,c)2000.5,d);").support.tolist()[:2] == [1000.5, 2000.5]
    assert apart(["1_0", "x"]) is None


def test_support_in_comments_and_beside_lengths():
    text = "(((a:1,b:2):0.25[&&NHX:B=88],c:1)[&posterior=0.5]:1,(d:1,e:1):97:0.5);"
    h = parse_newick(text)
    assert h.names is None
    np.testing.assert_array_equal(h.support, [88, 0.5, 97, NAN])
    many = io.StringIO("((a,b)[&prob=0.1],c);((a,b),c);((a,b)[&prob=0.3],c);")
    first, second, third = (h for _, h in read_hierarchies(many))
    assert (first.support[0], second.support, third.support[0]) == (0.1, None, 0.3)


@st.composite
def supported(draw):
    text = draw(st.sampled_from(["((a,b),(c,d));", "(((a,b),c),d,e);", "((((a,b)),c),(d,e));"]))
    h = parse_newick(text)
    inner = h.n_nodes - h.n_leaves
    number = st.sampled_from([0.5, 98.0, 7.0, 99.25])
    k = draw(st.sampled_from([1, 2]))
    rows = draw(st.lists(st.lists(number, min_size=k, max_size=k), min_size=inner, max_size=inner))
    gaps = draw(st.lists(st.booleans(), min_size=inner, max_size=inner))
    rows = np.where(np.array(gaps)[:, None], np.nan, rows)
    names = draw(st.none() | st.just([f"name {i}" for i in range(inner)]))
    return h._but(names=names, support=rows)


def by_clade(h):
    table = h._support
    if table is None:
        return {}
    return {
        (frozenset(h.clade(u)), len(h.children(u))): [x for x in table[u - h.n_leaves].tolist() if x == x]
        for u in range(h.n_leaves, h.n_nodes)
        if not np.isnan(table[u - h.n_leaves, 0])
    }


@given(supported())
def test_support_is_written_and_read_back(h):
    for form in ("newick", "nexus", "json"):
        again = read_hierarchy(io.StringIO(write_hierarchy(h, format=form)), format=form)
        assert by_clade(again) == by_clade(h), form
        assert sorted(again.names or ()) == sorted(h.names or ())
    assert parse_newick(write_newick(h, support=False)).support is None
    assert parse_newick(write_newick(h), placeholders=False) == h
    assert read(write_nexus(h, support=False)).support is None


@given(supported(), st.data())
def test_support_stays_with_its_clade(h, data):
    kept = data.draw(st.lists(st.sampled_from(list(h.leaves)), min_size=2, unique=True))
    small = h.restrict(kept)
    for clade, numbers in by_clade(small).items():
        above = [x for (c, _), x in by_clade(h).items() if frozenset(c & set(kept)) == clade[0]]
        assert numbers in above
    whole = h.subtree(h.root)
    assert by_clade(whole) == by_clade(h)
    reindexed = h.reindex(list(h.leaves)[::-1])
    assert by_clade(reindexed) == by_clade(h)
    other = parse_newick("((x,y)50,z);")
    assert by_clade(join_hierarchies([h, other])) == by_clade(h) | by_clade(other)


def test_support_of_a_hierarchy():
    with pytest.raises(tt.errors.InvalidHierarchyError, match="support must be 2 finite numbers or NaN"):
        Hierarchy([3, 3, 4, 4, -1], list("abc"), support=[1, 2, 3])
    with pytest.raises(tt.errors.InvalidHierarchyError, match="infinite values"):
        Hierarchy([3, 3, 4, 4, -1], list("abc"), support=[1, np.inf])
    h = Hierarchy([4, 4, 3, -1, 3], list("abc"), support=[1, 9])  # the inner nodes are renumbered
    assert h.support.tolist() == [9, 1]
    assert not h.support.flags.writeable
    assert h == Hierarchy(h.parent, h.leaves)
    assert Hierarchy([1, -1], ["a"], support=[NAN]).support is None
    grown = parse_newick("((a,b)90,c);").attach({"x": "a", "y": "a", "z": "b", "w": "c"})
    assert [x for x in grown.support.tolist() if x == x] == [90]
    assert len(grown.support) == grown.n_nodes - grown.n_leaves


def test_reading_a_part_is_as_reading_all():
    text = "(((a,b)90/80,c)70,d);"
    for part, tree in itertools.product((0, 1, 2, -1, -2, -3), (None, 0)):
        h, found = read_support(io.StringIO(text), part=part, tree=tree)
        assert h.names is None
        rows = [[90, 80], [70], []]
        wanted = [row[part] if -len(row) <= part < len(row) else NAN for row in rows]
        np.testing.assert_array_equal(found, wanted)
