"""Nodes found by whole paths and by names, whichever is given: attach, restrict, subtree, match_names, the shell."""

import io

import pytest

import tripletree as tt
from tripletree.errors import DuplicateLeafError, UnknownLeafError
from tripletree.io import read_lineages, write_lineages

SHOP = [
    ("Garden", "Tools", "Spade"),
    ("Garden", "Tools", "Rake"),
    ("Garden", "Plants", "Rose"),
    ("Garden", "Plants", "Fern"),
    ("Kitchen", "Tools", "Whisk"),
    ("Kitchen", "Tools", "Ladle"),
    ("Kitchen", "Pans", "Wok"),
    ("Kitchen", "Pans", "Pot"),
]
SEPARATORS = ["; ", ";", " > ", ">", "|", "/", " | ", " / "]


def shop(labels, sep=" > "):
    return read_lineages(io.StringIO("".join(sep.join(x) + "\n" for x in SHOP)), labels=labels)


def ending_with(parts):
    """By the definition: all nodes whose path ends with these names, as the sets of leaves below them."""
    nodes = {path[:k] for path in SHOP for k in range(1, len(path) + 1)}
    found = [x for x in nodes if x[-len(parts) :] == parts]
    return [frozenset(path[-1] for path in SHOP if path[: len(x)] == x) for x in found]


ASKED = {path[i:k] for path in SHOP for k in range(1, len(path) + 1) for i in range(k)}


@pytest.mark.parametrize("labels", ["name", "path"])
@pytest.mark.parametrize("written", [" > ", "; ", "|", "/"])
@pytest.mark.parametrize("sep", SEPARATORS)
def test_every_path_finds_its_node_and_one_that_several_have_finds_none(labels, written, sep):
    h = shop(labels, written)
    for parts in sorted(ASKED):
        text, nodes = sep.join(parts), ending_with(parts)
        found = tt.match_names([text], h)
        if len(nodes) > 1:
            assert (found.matches, found.kinds) == ((None,), ("ambiguous",))
            assert len(found.suggestions[0]) == len(nodes)
            continue
        assert found.matches != (None,), text
        for tree in (h.attach({"mine": text}, keep="all"), h.attach({"mine": found.matches[0]}, keep="all")):
            gone = {str(x).split(written)[-1].strip() for x in h.leaves if x not in tree.leaves}
            assert ("mine" in tree.open_leaves) == (len(nodes[0]) > 1)
            assert gone == (set(nodes[0]) if len(nodes[0]) == 1 else set())
        if len(parts) > 1 or labels == "path":
            below = {str(x).split(written)[-1].strip() for x in h.subtree(text).leaves}
            assert below == set(nodes[0])


@pytest.mark.parametrize("labels", ["name", "path"])
def test_restrict_keeps_the_names_asked_for(labels):
    asked = ["Garden|Tools|Spade", "Rake", "Kitchen/Tools/Whisk"]
    assert shop(labels).restrict(asked) == tt.Hierarchy.from_nested([["Garden|Tools|Spade", "Rake"], asked[2]])


def test_restrict_refuses_inner_nodes_unknown_paths_and_one_leaf_twice():
    h = shop("name")
    with pytest.raises(UnknownLeafError, match=r"'Garden\|Plants' is an inner node: use attach"):
        h.restrict(["Spade", "Garden|Plants"])
    assert h.attach({"Garden|Plants": "Garden|Plants"}).leaves[0] == "Garden|Plants"
    with pytest.raises(UnknownLeafError) as error:
        h.restrict(["Kitchen|Pans|Wok", "Garden|Pans|Wok"])
    assert error.value.labels == ["Garden|Pans|Wok"]
    with pytest.raises(DuplicateLeafError, match="by two of its names"):
        h.restrict(["Wok", "Kitchen|Pans|Wok"])


@pytest.mark.parametrize("door", [lambda h: h.attach({"mine": "Tools"}), lambda h: h.restrict(["Tools"])])
def test_a_name_of_several_paths_is_unknown_and_they_are_listed(door):
    with pytest.raises(UnknownLeafError, match="may be 'Garden > Tools' or 'Kitchen > Tools'"):
        door(shop("path"))
    found = tt.match_names(["Tools"], shop("path"))
    assert (found.kinds, set(found.suggestions[0])) == (("ambiguous",), {"Garden > Tools", "Kitchen > Tools"})


def test_an_unknown_path_is_no_genus():
    h = shop("name")
    for text in ("Garden > Sheds", "Garden|Sheds", "Garden/Sheds", "Garden; Sheds"):
        assert tt.match_names([text], h).matches == (None,)
    assert tt.match_names(["Garden sp. 2"], h).matches == ("Garden",)


def test_other_case_and_a_shared_name_lead_to_the_node():
    found = tt.match_names(["kitchen > TOOLS"], shop("name"))
    assert (found.matches, found.kinds) == (("Kitchen > Tools",), ("form",))
    mine = found.hierarchy.attach({"mine": found.matches[0]}, keep="all", keep_unary=True)
    above = mine.names[mine.parent[0] - mine.n_leaves], mine.parent[mine.parent[0]]
    assert (above[0], mine.names[above[1] - mine.n_leaves]) == ("Tools", "Kitchen")


def test_labels_that_contain_the_signs_stay_and_win():
    h = tt.parse_newick("(('a|b','a/b')a,(b,c)'x|y')x;")
    assert tt.match_names(["a|b", "a/b", "x|y"], h).kinds == ("exact",) * 3
    assert list(h.restrict(["a|b", "a/b", "c"]).leaves) == ["a|b", "a/b", "c"]
    assert h.attach({"one": "a|b", "two": "x|y"}, keep="all").open_leaves == ["two"]
    back = read_lineages(io.StringIO(write_lineages(h)))
    assert back == h


@pytest.mark.parametrize("sep", ["; ", " > ", "|", "/", ", "])
@pytest.mark.parametrize("written", [" > ", "; ", "|", "/"])
def test_hierarchies_of_whole_paths_come_back(sep, written):
    h = shop("path", written)
    same = sep.strip() == written.strip()
    back = read_lineages(io.StringIO(write_lineages(h, sep=sep)), labels="path" if same else "name", sep=sep.strip())
    assert (back, back.names) == (h, h.names)


def test_paths__of_terms_with_several_parents():
    names = ["Food", "Bread", "Rolls", "Bakery", "Rolls", "Film"]
    o = tt.Ontology(list("abcdef"), [(1, 0), (2, 1), (3, 0), (2, 3), (4, 5)], names=names)
    asked = ["Food > Bread > Rolls", "food|bakery|rolls", "Film/Rolls", "Bread > Rolls", "Film > Bread", "Rolls"]
    found = tt.match_names(asked, o)
    assert found.matches == ("c", "c", "e", "c", None, None)
    assert found.choose({"Rolls": "Film > Rolls"}).matches[-1] == "e"
    assert o.attach({"x": "Food > Bread > Rolls", "y": "f"}).parents("x") == ["c"]
    with pytest.raises(UnknownLeafError, match="Film > Bread"):
        o.attach({"x": "Film > Bread"})
