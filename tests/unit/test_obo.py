"""Reading and writing OBO: values worked out by hand, every refusal with its place, round trips of anything."""

import contextlib
import gzip
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.algorithms.induce import induce
from tripletree.core.ontology import Ontology
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, ParseError, TripletreeError, UnknownLeafError
from tripletree.io import obo as _obo_text
from tripletree.io import read_hierarchy
from tripletree.io.obo import parse_obo, read_obo, write_obo
from tripletree.io.source import named_stream

CELLS = """format-version: 1.4
default-namespace: cell
import: http://example.org/never/fetched.obo

! a comment
[Term]
id: CL:0
name: cell

[Term]
id: CL:1
name: stem cell
alt_id: CL:11
def: "A cell that says \\"stem\\"." [a:b, "c"]
is_a: CL:0 ! cell

[Term]
id: CL:2
name: nucleus
namespace: part
relationship: part_of CL:0 {source="x"} ! cell
relationship: has_part CL:9

[Term]
id: CL:3
name: old cell
is_a: CL:0
is_obsolete: true

[Typedef]
id: part_of
name: part of
is_a: overlaps

[Instance]
id: a_cell
instance_of: CL:0
"""


def stream(content, name="cells.obo"):
    """A file object, of text or of bytes, with a name."""
    if isinstance(content, bytes):
        return named_stream(content, name)
    found = io.StringIO(content, newline="")
    found.name = name
    return found


def rows(ontology):
    """The edges as (child, relation, parent), in order."""
    terms = list(ontology.terms)
    return [(terms[c], r, terms[p]) for (c, p), r in zip(ontology.edges.tolist(), ontology.relations, strict=True)]


def one(*lines, **options):
    """An ontology of one term x of which these are the lines."""
    return parse_obo("[Term]\nid: x\n" + "\n".join(lines), **options)


# ---------------------------------------------------------------------- reading


def test_obo__terms_names_and_edges_by_hand():
    o = parse_obo(CELLS)
    assert list(o.terms) == ["CL:0", "CL:1", "CL:2"]
    assert o.names == ("cell", "stem cell", "nucleus")
    assert rows(o) == [("CL:1", "is_a", "CL:0")]
    assert o.roots == ["CL:0", "CL:2"]
    assert o.ranks is None


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        ("is_a", ["is_a CL:0"]),
        (["part_of"], ["part_of CL:0"]),
        (["part of"], ["part_of CL:0"]),
        (None, ["is_a CL:0", "part_of CL:0"]),
        (["has_part", "is_a"], ["is_a CL:0", "part_of CL:2"]),
        ([], []),
    ],
)
def test_obo__relations(relations, expected):
    assert [f"{r} {p}" for _, r, p in rows(parse_obo(CELLS, relations=relations))] == expected


def test_obo__relations_that_the_file_does_not_know():
    assert rows(one("is_a: y", relations=["part_of"])) == []
    with pytest.raises(UnknownLeafError, match=r"'partof' \(did you mean 'part_of'\?\)") as caught:
        parse_obo(CELLS, relations=["is_a", "partof"])
    assert caught.value.labels == ["partof"]


def test_obo__numbered_relation_types_get_their_names():
    lines = ["relationship: BFO:0000050 y", "relationship: RO:1 z"]
    typedef = "\n[Typedef]\nid: RO:1\nname: develops from\n"
    for asked in (["part_of", "RO:1"], ["BFO:0000050", "develops_from"], ["part_of", "develops from"]):
        assert rows(one(*lines, typedef, relations=asked)) == [("x", "part_of", "y"), ("x", "develops_from", "z")]


def test_obo__edges_stand_in_the_order_of_the_file():
    o = one("relationship: part_of c", "is_a: b", "relationship: part_of a", "is_a: a", relations=None)
    assert rows(o) == [("x", "part_of", "c"), ("x", "is_a", "b"), ("x", "part_of", "a"), ("x", "is_a", "a")]


def test_obo__a_genus_is_a_parent_only_where_asserted():
    assert rows(one("intersection_of: g", "intersection_of: part_of w", "union_of: v", "is_a: h")) == [
        ("x", "is_a", "h")
    ]


def test_obo__terms_that_are_not_defined_stay_without_a_name():
    o = one("name: X", "is_a: y ! Y")
    assert list(o.terms) == ["x", "y"]
    assert o.names == ("X", None)
    assert o.roots == ["y"]


def test_obo__namespaces():
    assert list(parse_obo(CELLS, namespace="cell", relations=None).terms) == ["CL:0", "CL:1"]
    both = parse_obo(CELLS, namespace=["cell", "part"], relations=["part_of", "has_part"])
    assert rows(both) == [("CL:2", "part_of", "CL:0")]  # CL:9 is nowhere defined
    assert rows(parse_obo(CELLS, namespace="part", relations=None)) == []
    with pytest.raises(UnknownLeafError, match=r"'cells' \(did you mean 'cell'\?\)"):
        parse_obo(CELLS, namespace="cells")


def test_obo__obsolete_terms_go_with_their_edges_unless_asked_for():
    text = CELLS + "\n[Term]\nid: CL:4\nis_a: CL:3\n"
    assert "CL:3" not in parse_obo(text).terms
    assert parse_obo(text).parents("CL:4") == []
    kept = parse_obo(text, obsolete=True)
    assert kept.parents("CL:4") == ["CL:3"]
    assert kept.parents("CL:3") == ["CL:0"]
    with pytest.raises(ParseError, match="every term of it"):
        one("is_obsolete: true")


def test_obo__roots():
    text = CELLS + "\n[Term]\nid: CL:4\nis_a: CL:1\n[Term]\nid: CL:5\nis_a: CL:4\n"
    assert sorted(parse_obo(text, root="CL:1").terms) == ["CL:1", "CL:4", "CL:5"]
    assert sorted(parse_obo(text, root="CL:11").terms) == ["CL:1", "CL:4", "CL:5"]
    assert sorted(parse_obo(text, root=["CL:5", "CL:2"]).terms) == ["CL:2", "CL:5"]
    with pytest.raises(UnknownLeafError, match="'CL:7'"):
        parse_obo(text, root="CL:7")


def test_obo__a_secondary_identifier_leads_to_its_term_unless_it_is_one():
    text = "[Term]\nid: x\nis_a: old\n[Term]\nid: y\nalt_id: old\n"
    assert rows(parse_obo(text)) == [("x", "is_a", "y")]
    assert rows(parse_obo(text + "[Term]\nid: old\n")) == [("x", "is_a", "old")]


def test_obo__definitions_of_one_term_are_put_together():
    o = parse_obo("[Term]\nid: x\nis_a: a\n\n[Term]\nid: x\nname: X\nis_a: b\nis_a: a\n[Term]\nid: x\nname: X\n")
    assert list(o.terms) == ["x", "a", "b"]
    assert o.names == ("X", None, None)
    assert rows(o) == [("x", "is_a", "a"), ("x", "is_a", "b")]


def test_obo__the_identifier_may_stand_anywhere_in_the_stanza():
    assert rows(parse_obo("[Term]\nname: X\nis_a: y\nid: x\n")) == [("x", "is_a", "y")]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("name: plain", "plain"),
        ("name:\tplain  ", "plain"),
        (r"name: a\, b\: \(c\) \[d\] \{e\} \"f\" \\ g\!", 'a, b: (c) [d] {e} "f" \\ g!'),
        (r"name: two\nlines\tand\Wmore", "two\nlines\tand more"),
        ("name: a cell ! as seen", "a cell"),
        ("name: Yes! it is", "Yes! it is"),
        (r"name: not \! a comment", "not ! a comment"),
        ('name: a cell {xref="a:b"} ! seen', "a cell"),
        ("name: poly {A} tail {B}", "poly {A} tail {B}"),
        ("name: {A}", "{A}"),
        ("name: it goes \\\n on \\\nand on", "it goes  on and on"),
        ("name: back\\\\\ncomment: x", "back\\"),
        ("name:", None),
        ("name: ! nothing", None),
        ("  name: blanks before", "blanks before"),
        ("name : blanks behind the tag", "blanks behind the tag"),
    ],
)
def test_obo__names(line, name):
    o = one(line, "is_a: y")
    assert o.names == (None if name is None else (name, None))
    assert rows(o) == [("x", "is_a", "y")]


@pytest.mark.parametrize(
    ("value", "parent"),
    [
        ("y", "y"),
        ("  y\t", "y"),
        ("y!z", "y"),
        ("y ! z {", "y"),
        ("y\t! z", "y"),
        ('y {a="}", b="\\"!"} ! z', "y"),
        ("y {} ! z", "y"),
        (r"y\Wz ! c", "y z"),
        (r"y\ z", "y z"),
        (r"GO\:1\!", "GO:1!"),
        ("http://x.org/y#z{1}", "http://x.org/y#z{1}"),
        ("é\xa0\u2028", "é\xa0\u2028"),
    ],
)
def test_obo__identifiers(value, parent):
    assert rows(one(f"is_a: {value}")) == [("x", "is_a", parent)]
    assert rows(one(f"relationship: part_of {value}", relations=["part_of"])) == [("x", "part_of", parent)]
    assert list(parse_obo(f"[Term]\nid: {value}\n").terms) == [parent]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_obo__line_ends_and_byte_order_mark(end, mark):
    text = mark + CELLS.replace("\n", end)
    for content in (text, text.encode()):
        assert rows(read_obo(stream(content))) == [("CL:1", "is_a", "CL:0")]
    with pytest.raises(ParseError) as caught:
        read_obo(stream((text + f"[Term]{end}{end}{end}").encode()))
    assert (caught.value.line, caught.value.column) == (CELLS.count("\n") + 1, 1)


@pytest.mark.parametrize("line", ["[Term]", "[Term] ! c", " [ Term ] "])
def test_obo__stanzas(line):
    assert list(parse_obo(f"{line}\nid: x\n[Whatever]\nid: z\nnonsense: y\n").terms) == ["x"]


def test_obo__prose_and_anything_else_before_the_first_term_is_passed_over():
    text = "this is an example, see: http://example.org\n  GO:1\tlevel-1 [process]\nname: q\n[note] x\n\n" + CELLS
    assert rows(parse_obo(text)) == rows(parse_obo(CELLS))


def test_obo__unknown_tags_are_passed_over():
    assert rows(one("owl-thing: x", "is_class_level: true", "created_by: me", "x.y/z: 1", "is_a: y")) == [
        ("x", "is_a", "y")
    ]


def test_obo__ranks():
    text = "[Term]\nid: a\nproperty_value: has_rank NCBITaxon:genus\n[Term]\nid: b\n"
    assert parse_obo(text + 'property_value: has_rank "sub \\"x" xsd:string\n').ranks == ("genus", 'sub "x')
    assert parse_obo(text + "is_a: c\n").ranks == ("genus", None, None)
    long = (
        "property_value: http://purl.obolibrary.org/obo/ncbitaxon#has_rank http://purl.obolibrary.org/obo/NCBITaxon_{}"
    )
    assert parse_obo(text + long.format("species_group\n")).ranks == ("genus", "species_group")


@pytest.mark.parametrize("size", [7, 16, 100])
def test_obo__blocks_end_anywhere(monkeypatch, size):
    text = CELLS + "\n[Term]\nid: CL:4\nname: a \\\nvery \\\nlong é name\nis_a: CL:0\n"
    wanted = parse_obo(text, relations=None)
    monkeypatch.setattr(_obo_text, "BLOCK", size)
    for end in ("\n", "\r\n"):
        content = text.replace("\n", end)
        for given_as in (content, content.encode()):
            o = read_obo(stream(given_as), relations=None)
            assert (rows(o), o.names) == (rows(wanted), wanted.names)
        content = content.replace("[Instance]", "[Instance é")
        for given_as in (content, content.encode()):
            with pytest.raises(ParseError) as caught:
                read_obo(stream(given_as))
            assert caught.value.line == CELLS[: CELLS.index("[Instance]")].count("\n") + 1


def test_obo__files(tmp_path):
    path = tmp_path / "cells.obo.gz"
    path.write_bytes(gzip.compress(CELLS.encode()))
    assert rows(read_obo(path)) == rows(read_obo(io.StringIO(CELLS))) == rows(read_obo(io.BytesIO(CELLS.encode())))
    with pytest.raises(FileNotFoundError):
        read_obo(tmp_path / "none.obo")
    with pytest.raises(TypeError, match="use read_obo"):
        parse_obo(path)


def test_obo__a_hundred_thousand_terms_in_a_row():
    n = 100_000
    o = parse_obo("".join(f"[Term]\nid: t{k}\nis_a: t{k + 1}\n" for k in range(n)))
    assert (o.n_terms, len(o.edges), o.roots) == (n + 1, n, [f"t{n}"])


# ---------------------------------------------------------------------- refusals and their places


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "there is no term in it"),
        ("format-version: 1.2\n[Typedef]\nid: x\n", 1, 1, "there is no term in it"),
        ("[Term]\nname: x\n\n[Term]\nid: y\n", 1, 1, "this term has no 'id:'"),
        ("[Term]\nid: x\n[Term]", 3, 1, "this term has no 'id:'"),
        ("[Term]\nid:\n", 2, 1, "expected one identifier, not ''"),
        ("[Term]\nid: ! x\n", 2, 5, "expected one identifier"),
        ("[Term]\nid: my term\n", 2, 5, r"expected one identifier, not 'my term': a blank in it is '\W'"),
        ("[Term]\nid: x\nis_a: y z\n", 3, 7, "expected one identifier, not 'y z'"),
        ("[Term]\nid: x\nis_a: y {a ! z\n", 3, 7, "expected one identifier"),
        ("[Term]\nid: x\nalt_id: y z\n", 3, 9, "expected one identifier"),
        ("[Term]\nid: x\nid: y\n", 3, 1, "a second id for the term 'x'"),
        ("[Term]\nid: x\nname: a\nname: b\n", 4, 1, "the term 'x' has two names, 'a' and 'b'"),
        ("[Term]\nid: x\nname: a\n[Term]\nid: x\nname: b\n", 6, 1, "(its first definition is at line 1)"),
        ("[Term]\nid: x\nnamespace: a\nnamespace: b\n", 4, 1, "has two namespaces, 'a' and 'b'"),
        ("[Term]\nid: x\nis_obsolete: maybe\n", 3, 1, "is_obsolete is 'maybe'; it must be true or false"),
        ("[Term]\nid: x\nrelationship: part_of\n", 3, 1, "expected a relation type and a term"),
        ("[Term]\nid: x\nthis is not a tag\n", 3, 1, "expected 'tag: value'"),
        ('[Term]\nid: x\ndef: "a\nb" []\n', 3, 6, "this quotation mark is never closed"),
        ('[Term]\nid: x\nsynonym: "a\\" EXACT []\n', 3, 10, "this quotation mark is never closed"),
        ("[Term]\nid: x\n  which means: y\n", 3, 3, "expected 'tag: value'"),
        ("[Term]\nid: x\n: y\n", 3, 1, "expected 'tag: value'"),
        ("[Term]\nid: x\n[Term\n", 3, 1, "a stanza begins with its type in square brackets"),
        ("[Term]\nid: x\n[Term] id: y\n", 3, 1, "a stanza begins with its type in square brackets"),
        ("[term]\nid: x\n", 1, 1, "[Term], not [term]"),
        ("[Term]\nid: x\nIs_A: y\n", 3, 1, "the tag 'Is_A' means nothing in OBO; write 'is_a'"),
        ("[Term]\nid: x\nisa: y\n", 3, 1, "write 'is_a'"),
        ("[Term]\nid: x\npart_of: y\n", 3, 1, "write 'relationship: part_of'"),
        ("format-version: 1.2\n\nid: x\nname: y\n[Term]\nid: z\n", 3, 1, "'id:' belongs to a term"),
        ("is_a: x ! y\n", 1, 1, "'is_a:' belongs to a term"),
    ],
)
def test_obo__refusals_name_the_place(text, line, column, what):
    for content in (text, text.encode(), text.replace("\n", "\r\n").encode()):
        with pytest.raises(ParseError) as caught:
            read_obo(stream(content, "x.obo"))
        assert what in str(caught.value)
        assert (caught.value.path, caught.value.line, caught.value.column) == ("x.obo", line, column)


def test_obo__a_relationship_is_looked_at_when_it_is_asked_for():
    lines = ["is_a: y", "relationship: part_of y | z"]
    assert rows(one(*lines)) == [("x", "is_a", "y")]
    with pytest.raises(ParseError) as caught:
        one(*lines, relations=None)
    assert (caught.value.line, caught.value.column) == (4, 23)


def test_obo__bytes_that_are_no_text_are_refused_with_their_place():
    content = CELLS.replace("stem", "st\xe9m").encode("latin-1")
    with pytest.raises(ParseError, match="byte 0xe9 is not UTF-8 text") as caught:
        read_obo(io.BytesIO(content))
    assert (caught.value.line, caught.value.column) == (12, 9)
    with pytest.raises(ParseError, match="UTF-16"):
        read_obo(io.BytesIO(CELLS.encode("utf-16")))


def test_obo__cycles_are_refused_with_every_step_and_its_line():
    text = "[Term]\nid: a\nis_a: c\n[Term]\nid: b\nis_a: a\n[Term]\nid: c\nis_a: b\n[Term]\nid: d\nis_a: a\n"
    with pytest.raises(ParseError) as caught:
        parse_obo(text)
    steps = re.findall(r"(\w) is_a (\w) \(line (\d+)\)", str(caught.value))
    assert sorted(steps) == [("a", "c", "3"), ("b", "a", "6"), ("c", "b", "9")]
    assert all(up == child for (_, up, _), (child, _, _) in zip(steps, steps[1:], strict=False))
    assert caught.value.line == int(steps[0][2])
    with pytest.raises(ParseError, match=r"x is_a x \(line 3\)"):
        one("is_a: x")


def test_obo__a_cycle_of_relations_not_asked_for_does_no_harm():
    text = "[Term]\nid: a\nis_a: b\n[Term]\nid: b\nrelationship: regulates a\n"
    assert rows(parse_obo(text)) == [("a", "is_a", "b")]
    with pytest.raises(ParseError, match="a is_a b|b regulates a"):
        parse_obo(text, relations=["is_a", "regulates"])


def test_obo__a_long_cycle_is_told_in_part():
    text = "".join(f"[Term]\nid: t{k}\nis_a: t{(k + 1) % 50_000}\n" for k in range(50_000))
    with pytest.raises(ParseError, match=r"\.\.\. 49989 more \.\.\."):
        parse_obo(text)


@pytest.mark.parametrize("tail", [" " * 200_000 + "x", "{=" * 100_000, '"\\' * 100_000, "\\" * 200_001, "!" * 200_000])
def test_obo__long_lines_take_no_long_time(tail):
    for tag in ("id", "name", "is_a", "def", "relationship", "property_value", "odd"):
        with contextlib.suppress(TripletreeError):
            parse_obo(f"[Term]\n{tag}: a{tail}\nid: x", relations=None)


# ---------------------------------------------------------------------- writing

NASTY = st.text(max_size=5) | st.text(alphabet="ab ![]{}()\"'\\:,=\n\t\xa0\u2028\x0b\x00#", min_size=1, max_size=6)
NO_RETURN = NASTY.filter(lambda x: x and "\r" not in x)


@st.composite
def ontologies(draw):
    terms = draw(st.lists(NO_RETURN, min_size=1, max_size=6, unique=True))
    n = len(terms)
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=8))
    edges = [(max(pair), min(pair)) for pair in pairs if pair[0] != pair[1]]
    kinds = st.sampled_from(["is_a", "part_of", "part of", "RO:1", "x!{y} "])
    texts = st.lists(st.none() | NO_RETURN, min_size=n, max_size=n)
    relations = draw(st.lists(kinds, min_size=len(edges), max_size=len(edges)))
    placed = sorted({child for child, _ in edges})
    opened = draw(st.lists(st.sampled_from(placed), unique=True)) if placed else []
    return Ontology(terms, edges, names=draw(texts), ranks=draw(texts), relations=relations, incertae_sedis=opened)


@given(ontologies())
def test_obo__what_is_written_is_read_back(o):
    again = parse_obo(write_obo(o), relations=sorted({"is_a", *o.relations}), placeholders=False)
    assert again == o
    assert list(again.terms) == list(o.terms)
    assert (again.names, again.ranks) == (o.names, o.ranks)
    by_child = sorted(range(len(o.edges)), key=lambda k: o.edges[k, 0])
    assert rows(again) == [rows(o)[k] for k in by_child]
    assert write_obo(again) == write_obo(o)


def test_obo__writing_to_files(tmp_path):
    o = parse_obo(CELLS, relations=None)
    path = tmp_path / "x.obo.gz"
    assert write_obo(o, path) is None
    assert rows(read_obo(path, relations=None)) == rows(o)
    assert gzip.decompress(path.read_bytes()).decode() == write_obo(o)


def test_obo__what_cannot_be_written():
    with pytest.raises(DuplicateLeafError, match="once all terms are written as text"):
        write_obo(Ontology([1, "1"], []))
    assert list(parse_obo(write_obo(Ontology([1, 2], [(1, 0)]))).terms) == ["1", "2"]
    for o in (Ontology(["a\rb"], []), Ontology([""], []), Ontology(["a"], [], names=["a\r"])):
        with pytest.raises(InvalidHierarchyError, match="cannot be written as OBO"):
            write_obo(o)
    with pytest.raises(TypeError, match="expected an Ontology, not str"):
        write_obo("a")  # type: ignore[call-overload]


# ---------------------------------------------------------------------- mutations


@given(st.data())
def test_obo__mutations_give_an_ontology_or_a_tripletree_error(data):
    content = bytearray(CELLS.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        stop = min(len(content), start + data.draw(st.integers(0, 30)))
        piece = data.draw(
            st.sampled_from(
                [b"", b"\n", b"\r", b"\\", b"\\\n", b'"', b"!", b"{", b"[Term]\n", b"is_a: CL:1\n", b"\xff", b":"]
            )
            | st.binary(max_size=3)
        )
        content[start:stop] = piece
    try:
        o = read_obo(stream(bytes(content)), relations=None, obsolete=data.draw(st.booleans()))
    except TripletreeError:
        return
    assert rows(parse_obo(write_obo(o), relations=None)) == sorted(rows(o), key=lambda x: o.terms.index(x[0]))


@given(st.text(max_size=40) | st.text(alphabet='[Term]\nid: x!\\"{}is_a', max_size=40))
def test_obo__anything_gives_an_ontology_or_a_tripletree_error(text):
    for whole in (text, "[Term]\nid: a\n" + text, "[Term]\nid: a\nname: " + text):
        try:
            parse_obo(whole)
        except TripletreeError:
            continue


DEFINED = """[Term]
id: a
[Term]
id: b
intersection_of: a ! the genus
intersection_of: part_of c ! what sets it apart
[Term]
id: d
is_a: a
intersection_of: a {source="x"}
intersection_of: part_of c
[Typedef]
id: part_of
intersection_of: a
"""


def test_genus__is_a_parent():
    strict = parse_obo(DEFINED, genus=False)
    assert (strict.edges.tolist(), strict.open_leaves) == ([[2, 0]], ["b"])
    found = parse_obo(DEFINED)
    assert list(found.terms) == ["a", "b", "d"]
    assert sorted(found.edges.tolist()) == [[1, 0], [2, 0]]
    assert found.relations == ("is_a", "is_a")
    assert parse_obo(DEFINED, genus=True, relations="part_of").edges.tolist() == []
    for cycle in ("intersection_of: d\n", "intersection_of: a\n"):
        with pytest.raises(ParseError, match="stand above themselves"):
            parse_obo(DEFINED.replace("id: a\n", "id: a\n" + cycle, 1), genus=True)
        assert parse_obo(DEFINED.replace("id: a\n", "id: a\n" + cycle, 1), genus=False).edges.tolist() == [[2, 0]]
    assert read_hierarchy(io.StringIO(DEFINED)).n_leaves == 2


def test_genus__one_that_follows_from_other_parents_is_no_edge_of_its_own():
    text = "[Term]\nid: a\n[Term]\nid: b\nis_a: a\n[Term]\nid: c\nis_a: b\nintersection_of: a\nintersection_of: r x\n"
    assert parse_obo(text).edges.tolist() == [[1, 0], [2, 1]]
    away = parse_obo(text.replace("intersection_of: a", "intersection_of: z"))  # nowhere defined
    assert away.edges.tolist() == [[1, 0], [2, 1]]
    alone = parse_obo(text.replace("is_a: b\nintersection_of: a", "intersection_of: z"))
    assert [alone.terms[p] for _, p in alone.edges.tolist()] == ["a", "z"]
    assert alone.incertae_sedis.tolist() == [False, False, False, True]


def test_alone__a_term_without_parents_and_children_is_open_beside_others():
    text = "[Term]\nid: top\n[Term]\nid: x\nis_a: top\n[Term]\nid: y\nis_a: top\n[Term]\nid: lone\n"
    found = parse_obo(text)
    assert found.open_leaves == ["lone"]
    assert list(induce(found, [("x", "y", "lone")])) == [None]
    assert parse_obo(text + 'property_value: incertae_sedis "false" xsd:boolean\n').open_leaves == []
    assert parse_obo("[Term]\nid: x\n[Term]\nid: y\n").open_leaves == []  # no families, a list
