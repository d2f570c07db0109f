"""Reading OBO Graphs (JSON): values worked out by hand, every refusal with its place."""

import copy
import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.errors import ParseError, TripletreeError, UnknownLeafError
from tripletree.io.obograph import read_obograph
from tripletree.io.source import named_stream

PURL = "http://purl.obolibrary.org/obo/"
IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"


def meta(**values):
    names = {"namespace": "hasOBONamespace", "alternative": "hasAlternativeId", "shorthand": "shorthand"}
    return {
        "definition": {"val": "text", "xrefs": ["a:b"]},
        "synonyms": [{"pred": "hasExactSynonym", "val": "other"}],
        "basicPropertyValues": [{"pred": IN_OWL + names[key], "val": value} for key, value in values.items()],
    }


CELLS = {
    "graphs": [
        {
            "id": PURL + "cl.owl",
            "nodes": [
                {"id": PURL + "CL_0", "lbl": "cell", "type": "CLASS", "meta": meta(namespace="cell")},
                {
                    "id": PURL + "CL_1",
                    "lbl": "stem cell",
                    "type": "CLASS",
                    "meta": meta(namespace="cell", alternative="CL:11"),
                },
                {"id": PURL + "CL_2", "lbl": "nucleus", "meta": meta(namespace="part")},
                {"id": PURL + "CL_3", "type": "CLASS", "meta": {"deprecated": True}},
                {"id": PURL + "BFO_0000050", "lbl": "part of", "type": "PROPERTY"},
                {"id": PURL + "RO_1", "type": "PROPERTY", "meta": meta(shorthand="grows_into")},
                {"id": PURL + "x", "lbl": "mine", "type": "INDIVIDUAL"},
                {"id": "http://www.w3.org/2002/07/owl#Thing", "type": "CLASS"},
                {"id": PURL + "IAO_1"},
            ],
            "edges": [
                {"sub": PURL + "CL_1", "pred": "is_a", "obj": PURL + "CL_0"},
                {"sub": PURL + "CL_1", "pred": PURL + "RO_1", "obj": PURL + "CL_9"},
                {"sub": PURL + "CL_2", "pred": PURL + "BFO_0000050", "obj": PURL + "CL_0"},
                {"sub": PURL + "CL_3", "pred": "is_a", "obj": PURL + "CL_0"},
                {"sub": PURL + "CL_0", "pred": "is_a", "obj": "http://www.w3.org/2002/07/owl#Thing"},
                {"sub": PURL + "BFO_0000050", "pred": "subPropertyOf", "obj": PURL + "RO_1"},
                {"sub": PURL + "x", "pred": "type", "obj": PURL + "CL_0"},
                {"sub": PURL + "x", "pred": PURL + "BFO_0000050", "obj": PURL + "CL_0"},
            ],
            "logicalDefinitionAxioms": [{"definedClassId": PURL + "CL_1", "genusIds": [PURL + "CL_8"]}],
        },
        {"id": "more", "nodes": None},
    ]
}


def rows(ontology):
    """The edges as (child, relation, parent), in order."""
    terms = list(ontology.terms)
    return [(terms[c], r, terms[p]) for (c, p), r in zip(ontology.edges.tolist(), ontology.relations, strict=True)]


def read(document, **options):
    return read_obograph(named_stream(json.dumps(document), "x.json"), **options)


def small(nodes=(), edges=()):
    return {"graphs": [{"nodes": list(nodes), "edges": list(edges)}]}


# ---------------------------------------------------------------------- reading


def test_obograph__terms_names_and_edges_by_hand():
    o = read(CELLS)
    assert list(o.terms) == ["CL:0", "CL:1", "CL:2"]
    assert o.names == ("cell", "stem cell", "nucleus")
    assert rows(o) == [("CL:1", "is_a", "CL:0")]


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        ("part_of", ["part_of CL:0"]),
        (["part of", "is_a"], ["is_a CL:0", "part_of CL:0"]),
        ([PURL + "BFO_0000050"], ["part_of CL:0"]),
        (None, ["is_a CL:0", "part_of CL:0"]),
        (["grows_into"], ["grows_into CL:9"]),
        (["RO:1"], ["grows_into CL:9"]),
    ],
)
def test_obograph__relations(relations, expected):
    assert [f"{r} {p}" for _, r, p in rows(read(CELLS, relations=relations))] == expected


def test_obograph__namespace_root_and_obsolete():
    assert list(read(CELLS, namespace="cell").terms) == ["CL:0", "CL:1"]
    assert list(read(CELLS, root="CL:11").terms) == ["CL:1"]
    assert rows(read(CELLS, obsolete=True)) == [("CL:1", "is_a", "CL:0"), ("CL:3", "is_a", "CL:0")]
    for options in ({"namespace": "cells"}, {"root": "CL:7"}, {"relations": ["part-of"]}):
        with pytest.raises(UnknownLeafError):
            read(CELLS, **options)


def test_obograph__graphs_are_taken_together_and_one_may_stand_alone():
    parts = copy.deepcopy(CELLS)
    whole = parts["graphs"][0]
    parts["graphs"] = [{"nodes": whole["nodes"][:1]}, {"edges": whole["edges"]}, {"nodes": whole["nodes"]}]
    for document in (parts, CELLS["graphs"][0]):
        assert rows(read(document, relations=None)) == rows(read(CELLS, relations=None))


def test_obograph__what_is_not_defined_stays_without_a_name():
    o = read(
        small(
            [{"id": "a", "lbl": "A"}],
            [{"sub": "a", "pred": "is_a", "obj": "b"}, {"sub": "c", "pred": "is_a", "obj": "b"}],
        )
    )
    assert list(o.terms) == ["a", "c", "b"]
    assert o.names == ("A", None, None)


def test_obograph__what_only_other_relations_speak_of_is_no_term():
    document = small([{"id": "a", "lbl": "A"}], [{"sub": "c", "pred": "part_of", "obj": "a"}])
    assert list(read(document).terms) == ["a"]
    assert rows(read(document, relations=None)) == [("c", "part_of", "a")]


def test_obograph__ranks():
    pred = "http://purl.obolibrary.org/obo/ncbitaxon#has_rank"
    values = {"basicPropertyValues": [{"pred": pred, "val": PURL + "NCBITaxon_genus"}]}
    assert read(small([{"id": "a", "lbl": "A", "meta": values}, {"id": "b", "lbl": "B"}])).ranks == ("genus", None)


def test_obograph__files(tmp_path):
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(json.dumps(CELLS).encode("utf-8-sig")))
    assert rows(read_obograph(path)) == rows(read_obograph(io.StringIO(json.dumps(CELLS)))) == rows(read(CELLS))
    with pytest.raises(FileNotFoundError):
        read_obograph(tmp_path / "none.json")


def test_obograph__a_hundred_thousand_terms_in_a_row():
    n = 100_000
    o = read(
        small(
            [{"id": str(k), "lbl": "x"} for k in range(n)],
            [{"sub": str(k), "pred": "is_a", "obj": str(k + 1)} for k in range(n)],
        )
    )
    assert (o.n_terms, o.roots) == (n + 1, [str(n)])


# ---------------------------------------------------------------------- refusals and their places


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "the text is empty"),
        ('{"graphs": [\n{"nodes": ]}', 2, 11, "this is not JSON: Expecting value"),
        ("[" * 100_000, 1, 1, "nested more deeply than Python"),
        ('{"graphs": [{"nodes": [{"id": ' + "1" * 5_000 + "}]}]}", 1, 31, "a number of 5000 digits is too long"),
        ("[]", 1, 1, "there is no list of graphs here"),
        ('{"graphs": {}}', 1, 1, "there is no list of graphs here"),
        ('{"graphs": [3]}', 1, 1, "graphs[0] must be an object"),
        ('{"graphs": [{"nodes": 3}]}', 1, 1, "graphs[0] must be an object with a list of nodes"),
        ('{"graphs": []}', 1, 1, "there is no term in it"),
        ('{"graphs": [{"nodes": [\n {"id": "a", "lbl": "b"},\n {"lbl": "c"}]}]}', 3, 2, "graphs[0].nodes[1]: expected"),
        ('{"graphs": [{"nodes": [\n {"id": "a", "lbl": "b"},\n 3]}]}', 3, 2, "graphs[0].nodes[1]: expected"),
        ('{"graphs": [{"nodes": [\n {"id": "a", "lbl": 7}]}]}', 2, 2, "a text 'lbl', which here is 7"),
        ('{"nodes": [{"id": "a", "lbl": "b"}],\n"edges":[\n{"sub": "a", "pred": "is_a"}]}', 3, 1, "a text 'obj'"),
        (
            '{"graphs": [{"nodes": []}, {"nodes": [{"id": "a", "lbl": "],{"},\n{"id": "a", "lbl": "c"}]}]}',
            *(
                2,
                1,
                "graphs[1].nodes[1]: the term 'a' has two names, '],{' and 'c' (its first definition is at graphs[1]",
            ),
        ),
    ],
)
def test_obograph__refusals_name_the_place(text, line, column, what):
    with pytest.raises(ParseError) as caught:
        read_obograph(named_stream(text, "x.json"))
    assert what in str(caught.value)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("x.json", line, column)


def test_obograph__bytes_that_are_no_text_are_refused_with_their_place():
    with pytest.raises(ParseError, match="byte 0xe9 is not UTF-8"):
        read_obograph(io.BytesIO(json.dumps(CELLS).replace("stem", "st\xe9m").encode("latin-1")))


def test_obograph__cycles_are_refused_with_every_step_and_its_place():
    edges = [{"sub": a, "pred": "is_a", "obj": b} for a, b in ("ab", "bc", "ca", "da")]
    text = json.dumps(small([{"id": x, "lbl": x} for x in "abcd"], edges), indent=0)
    with pytest.raises(ParseError) as caught:
        read_obograph(io.StringIO(text))
    for k, (a, b) in enumerate(("ab", "bc", "ca")):
        assert f"{a} is_a {b} (graphs[0].edges[{k}])" in str(caught.value)
    first = int(str(caught.value).split("edges[")[1].split("]")[0])
    lines = text.split("\n")
    assert lines[caught.value.line - 1] == "{"
    assert lines[caught.value.line] == f'"sub": "{edges[first]["sub"]}",'


@given(st.data())
def test_obograph__mutations_give_an_ontology_or_a_tripletree_error(data):
    """Values replaced anywhere in the document, and bytes anywhere in the text."""
    document = copy.deepcopy(CELLS)
    for _ in range(data.draw(st.integers(1, 3))):
        at = document
        while isinstance(at, (dict, list)) and at:
            key = data.draw(st.sampled_from(sorted(at)) if isinstance(at, dict) else st.integers(0, len(at) - 1))
            if not isinstance(at[key], (dict, list)) or data.draw(st.integers(0, 4)) == 0:
                at[key] = data.draw(
                    st.sampled_from(
                        [None, "", 1, True, [], {}, [[]], {"pred": [], "val": {}}, "is_a", PURL + "CL_1", "CLASS"]
                    )
                )
                break
            at = at[key]
    text = json.dumps(document)
    start = data.draw(st.integers(0, len(text)))
    text = text[:start] + data.draw(st.sampled_from(["", "", "]", "}", '"', ",", "\\", "1"])) + text[start:]
    try:
        o = read_obograph(io.StringIO(text), relations=None, obsolete=True)
    except TripletreeError:
        return
    assert o.n_terms >= 1


@pytest.mark.parametrize("field", ["id", "lbl"])
def test_obograph__half_of_a_surrogate_pair_is_refused(field):
    node = {"id": "http://purl.obolibrary.org/obo/X_1", "lbl": "x", field: "a\ud800b"}
    text = json.dumps({"graphs": [{"nodes": [node], "edges": []}]})
    with pytest.raises(ParseError, match=rf"graphs\[0\].nodes\[0\]: the text '{field}' holds half of a surrogate pair"):
        read_obograph(io.StringIO(text))


def untyped(nodes, edges=()):
    """The terms of a graph whose first two nodes are classes, a below b, and whose other nodes have no type."""
    classes = [{"id": "X:a", "lbl": "a", "type": "CLASS"}, {"id": "X:b", "lbl": "b", "type": "CLASS"}]
    edges = [{"sub": "X:a", "pred": "is_a", "obj": "X:b"}, *edges]
    return list(read({"graphs": [{"nodes": [*classes, *nodes], "edges": edges}]}).terms)


@pytest.mark.parametrize(
    ("node", "edge"),
    [
        ({"id": "BFO:0000050", "lbl": "part of"}, {"sub": "X:a", "pred": "BFO:0000050", "obj": "X:b"}),
        ({"id": PURL + "BFO_0000050", "lbl": "part of"}, {"sub": "X:a", "pred": "BFO:0000050", "obj": "X:b"}),
        ({"id": "RO:1", "lbl": "r"}, {"sub": "RO:1", "pred": "subPropertyOf", "obj": "RO:2"}),
        ({"id": "RO:2", "lbl": "r"}, {"sub": "RO:1", "pred": "inverseOf", "obj": "RO:2"}),
        ({"id": "X:note", "lbl": "note", "propertyType": "ANNOTATION"}, None),
        ({"id": "X:note", "lbl": "note"}, None),
    ],
)
def test_untyped__properties_are_no_terms(node, edge):
    assert untyped([node], [edge] if edge else []) == ["X:a", "X:b"]


def test_untyped__a_property_of_nodes():
    meta = {"basicPropertyValues": [{"pred": "X:note", "val": "seen"}]}
    nodes = [{"id": "X:note", "lbl": "note"}, {"id": "X:c", "lbl": "c", "meta": meta}]
    graph = {"nodes": nodes, "edges": [{"sub": "X:c", "pred": "is_a", "obj": "X:d"}]}
    assert list(read({"graphs": [graph]}).terms) == ["X:c", "X:d"]


def test_untyped__terms_with_an_edge_are_terms():
    edge = {"sub": "X:c", "pred": "is_a", "obj": "X:b"}
    assert untyped([{"id": "X:c", "lbl": "c"}], [edge]) == ["X:a", "X:b", "X:c"]
    nodes = [{"id": "X:a", "lbl": "a"}, {"id": "X:b", "lbl": "b"}]  # no class says that it is one
    assert list(read({"graphs": [{"nodes": nodes}]}).terms) == ["X:a", "X:b"]


def test_genus__is_a_parent():
    nodes = [{"id": x, "lbl": x, "type": "CLASS"} for x in ("X:a", "X:b", "X:c")]
    edges = [{"sub": "X:c", "pred": "is_a", "obj": "X:a"}]
    axioms = [{"definedClassId": x, "genusIds": ["X:a"], "restrictions": []} for x in ("X:b", "X:c", "X:z")]
    document = {"graphs": [{"nodes": nodes, "edges": edges, "logicalDefinitionAxioms": [*axioms, {}, 3]}]}
    assert read(document, genus=False).edges.tolist() == [[2, 0]]
    assert sorted(read(document).edges.tolist()) == [[1, 0], [2, 0]]
