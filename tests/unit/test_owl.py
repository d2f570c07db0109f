"""Reading OWL (RDF/XML): values worked out by hand, every refusal with its place, and that nothing is fetched."""

import gzip
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.errors import ParseError, TripletreeError, UnknownLeafError
from tripletree.io.ontology_terms import short_id
from tripletree.io.owl import read_owl
from tripletree.io.source import named_stream

HEAD = """<?xml version="1.0"?>
<rdf:RDF xmlns:obo="http://purl.obolibrary.org/obo/" xmlns:owl="http://www.w3.org/2002/07/owl#"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#"
  xml:base="http://example.org/x.owl">
<owl:Ontology rdf:about="http://example.org/x.owl"><owl:imports rdf:resource="http://example.org/y.owl"/></owl:Ontology>
"""
PURL = "http://purl.obolibrary.org/obo/"


def document(body, head=HEAD):
    return head + body.replace("obo:", PURL) + "\n</rdf:RDF>\n"


def read(body, **options):
    return read_owl(named_stream(document(body), "x.owl"), **options)


def rows(ontology):
    """The edges as (child, relation, parent), in order."""
    terms = list(ontology.terms)
    return [(terms[c], r, terms[p]) for (c, p), r in zip(ontology.edges.tolist(), ontology.relations, strict=True)]


CELLS = """
<owl:ObjectProperty rdf:about="obo:BFO_0000050"><rdfs:label>part of</rdfs:label></owl:ObjectProperty>
<owl:ObjectProperty rdf:about="obo:RO_0002202"><oboInOwl:shorthand>develops_from</oboInOwl:shorthand>
  <rdfs:label>develops directly from</rdfs:label></owl:ObjectProperty>
<owl:Class rdf:about="obo:CL_0"><rdfs:label>cell</rdfs:label>
  <oboInOwl:hasOBONamespace>cell</oboInOwl:hasOBONamespace></owl:Class>
<owl:Class rdf:about="obo:CL_1">
  <rdfs:subClassOf rdf:resource="obo:CL_0"/>
  <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="obo:RO_0002202"/>
    <owl:someValuesFrom rdf:resource="obo:CL_9"/></owl:Restriction></rdfs:subClassOf>
  <oboInOwl:hasOBONamespace>cell</oboInOwl:hasOBONamespace>
  <oboInOwl:hasAlternativeId>CL:11</oboInOwl:hasAlternativeId>
  <rdfs:label xml:lang="de">Stammzelle</rdfs:label><rdfs:label xml:lang="en">stem cell</rdfs:label>
</owl:Class>
<owl:Axiom><owl:annotatedSource rdf:resource="obo:CL_1"/><rdfs:label>not this</rdfs:label></owl:Axiom>
<owl:Class rdf:about="obo:CL_2">
  <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="obo:BFO_0000050"/>
    <owl:someValuesFrom><owl:Class rdf:about="obo:CL_0"/></owl:someValuesFrom></owl:Restriction></rdfs:subClassOf>
  <oboInOwl:hasOBONamespace>part</oboInOwl:hasOBONamespace>
</owl:Class>
<owl:Class rdf:about="obo:CL_3"><rdfs:subClassOf rdf:resource="obo:CL_0"/>
  <owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated></owl:Class>
<owl:NamedIndividual rdf:about="obo:mine"><rdf:type rdf:resource="obo:CL_0"/></owl:NamedIndividual>
"""


# ---------------------------------------------------------------------- reading


def test_owl__terms_names_and_edges_by_hand():
    o = read(CELLS)
    assert list(o.terms) == ["CL:0", "CL:1", "CL:2"]
    assert o.names == ("cell", "stem cell", None)
    assert rows(o) == [("CL:1", "is_a", "CL:0")]


@pytest.mark.parametrize(
    ("relations", "expected"),
    [
        ("part_of", ["part_of CL:0"]),
        (["part of", "is_a"], ["is_a CL:0", "part_of CL:0"]),
        ([PURL + "BFO_0000050"], ["part_of CL:0"]),
        (["BFO:0000050"], ["part_of CL:0"]),
        (None, ["is_a CL:0", "part_of CL:0"]),
        (["develops_from"], ["develops_from CL:9"]),
        (["RO:0002202"], ["develops_from CL:9"]),
    ],
)
def test_owl__relations(relations, expected):
    assert [f"{r} {p}" for _, r, p in rows(read(CELLS, relations=relations))] == expected


def test_owl__relations_namespaces_and_roots_that_are_not_there():
    with pytest.raises(UnknownLeafError, match=r"'part-of' \(did you mean 'part_of'\?\)"):
        read(CELLS, relations=["part-of"])
    with pytest.raises(UnknownLeafError, match="'cells'"):
        read(CELLS, namespace="cells")
    with pytest.raises(UnknownLeafError, match="'CL:7'"):
        read(CELLS, root="CL:7")


def test_owl__namespace_root_and_obsolete():
    assert list(read(CELLS, namespace="cell").terms) == ["CL:0", "CL:1"]
    assert list(read(CELLS, root="CL:11").terms) == ["CL:1"]
    assert rows(read(CELLS, obsolete=True)) == [("CL:1", "is_a", "CL:0"), ("CL:3", "is_a", "CL:0")]


def test_owl__axioms_other_than_the_genus_are_no_edges():
    o = read(
        """<owl:Class rdf:about="obo:A_1"><rdfs:label>a</rdfs:label>
        <owl:equivalentClass><owl:Class><owl:intersectionOf rdf:parseType="Collection">
          <rdf:Description rdf:about="obo:G_1"/><owl:Restriction><owl:onProperty rdf:resource="obo:BFO_0000050"/>
          <owl:someValuesFrom rdf:resource="obo:W_1"/></owl:Restriction></owl:intersectionOf></owl:Class>
        </owl:equivalentClass>
        <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="obo:BFO_0000050"/>
          <owl:allValuesFrom rdf:resource="obo:W_2"/></owl:Restriction></rdfs:subClassOf>
        <rdfs:subClassOf><owl:Class><owl:unionOf rdf:parseType="Collection">
          <rdf:Description rdf:about="obo:U_1"/></owl:unionOf></owl:Class></rdfs:subClassOf>
        <owl:disjointWith rdf:resource="obo:D_1"/></owl:Class>""",
        relations=None,
    )
    assert (list(o.terms), rows(o)) == (["A:1", "G:1"], [("A:1", "is_a", "G:1")])


def test_owl__classes_within_classes():
    o = read(
        """<owl:Class rdf:about="obo:A_1"><rdfs:subClassOf><owl:Class rdf:about="obo:A_2"><rdfs:label>two</rdfs:label>
        <rdfs:subClassOf><rdf:Description rdf:about="obo:A_3"/></rdfs:subClassOf></owl:Class>
        </rdfs:subClassOf></owl:Class>"""
    )
    assert rows(o) == [("A:1", "is_a", "A:2"), ("A:2", "is_a", "A:3")]
    assert dict(zip(o.terms, o.names, strict=True)) == {"A:1": None, "A:2": "two", "A:3": None}


def test_owl__classes_nested_ten_thousand_deep_are_refused_and_less_is_read():
    def nested(n):
        start = '<owl:Class rdf:about="obo:A_{}"><rdfs:subClassOf>'
        return "".join(start.format(k) for k in range(n)) + "<owl:Class/>" + "</rdfs:subClassOf></owl:Class>" * n

    assert len(read(nested(4_000)).edges) == 3_999
    with pytest.raises(ParseError, match="more than 10,000 elements stand inside each other"):
        read(nested(8_000))


def test_owl__subjects_described_in_pieces_with_blank_nodes():
    o = read(
        """<rdf:Description rdf:about="obo:A_1"><rdfs:subClassOf rdf:nodeID="n1"/><rdfs:subClassOf rdf:nodeID="n2"/>
        </rdf:Description>
        <rdf:Description rdf:about="obo:A_1"><rdf:type rdf:resource="http://www.w3.org/2002/07/owl#Class"/>
        <rdfs:label>one</rdfs:label></rdf:Description>
        <rdf:Description rdf:nodeID="n1"><rdf:type rdf:resource="http://www.w3.org/2002/07/owl#Restriction"/>
        <owl:onProperty rdf:resource="obo:BFO_0000050"/><owl:someValuesFrom rdf:resource="obo:A_2"/></rdf:Description>
        <rdf:Description rdf:nodeID="n2"><rdf:type rdf:resource="http://www.w3.org/2002/07/owl#Class"/></rdf:Description>
        <rdf:Description rdf:about="obo:A_3"><rdfs:label>no class</rdfs:label></rdf:Description>""",
        relations=None,
    )
    assert rows(o) == [("A:1", "part_of", "A:2")]
    assert o.names == ("one", None)


def test_owl__references_are_relative_to_the_base():
    o = read(
        """<owl:Class rdf:ID="Margherita"><rdfs:subClassOf rdf:resource="#Pizza"/></owl:Class>
        <owl:Class rdf:about="#Pizza"><rdfs:subClassOf rdf:resource="http://www.w3.org/2002/07/owl#Thing"/></owl:Class>
        <owl:Class rdf:about="http://www.w3.org/2002/07/owl#Thing"/>
        <owl:Class rdf:about="/up/B"><rdfs:subClassOf rdf:resource="http://example.org/x.owl#Pizza"/></owl:Class>
        <owl:ObjectProperty rdf:about="#hasBase"/>
        <owl:Class rdf:about="#Deep"><rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="#hasBase"/>
        <owl:someValuesFrom rdf:resource="#Pizza"/></owl:Restriction></rdfs:subClassOf></owl:Class>""",
        relations=["is_a", "hasBase"],
    )
    base = "http://example.org/x.owl#"
    assert rows(o) == [
        (f"{base}Margherita", "is_a", f"{base}Pizza"),
        ("http://example.org/up/B", "is_a", f"{base}Pizza"),
        (f"{base}Deep", "hasBase", f"{base}Pizza"),
    ]
    assert o.names == ("Margherita", "Pizza", "B", "Deep")


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ("<rdfs:label>a</rdfs:label>", "a"),
        ('<rdfs:label xml:lang="fr">b</rdfs:label><rdfs:label xml:lang="en-GB">a</rdfs:label>', "a"),
        ('<rdfs:label xml:lang="en">b</rdfs:label><rdfs:label> a </rdfs:label>', "a"),
        ("<rdfs:label>a</rdfs:label><rdfs:label>b</rdfs:label>", "a"),
        ("<skos:prefLabel>b</skos:prefLabel><rdfs:label>a</rdfs:label>", "a"),
        ("<skos:prefLabel>a</skos:prefLabel>", "a"),
        ("<rdfs:label/>", None),
        ("<rdfs:label>a &lt; b</rdfs:label>", "a < b"),
    ],
)
def test_owl__labels(labels, name):
    o = read(f'<owl:Class rdf:about="obo:A_1">{labels}</owl:Class>')
    assert o.names == (None if name is None else (name,))


def test_owl__ranks():
    rank = '<ncbitaxon:has_rank xmlns:ncbitaxon="http://purl.obolibrary.org/obo/ncbitaxon#" rdf:resource="obo:{}"/>'
    pairs = [("A_1", rank.format("NCBITaxon_genus")), ("A_2", rank.format("NCBITaxon#_sub_x")), ("A_3", "")]
    o = read("".join(f'<owl:Class rdf:about="obo:{iri}">{inside}</owl:Class>' for iri, inside in pairs))
    assert o.ranks == ("genus", "_sub_x", None)


def test_owl__a_deprecated_secondary_identifier_as_root_leads_to_its_term():
    gone = '<owl:Class rdf:about="obo:CL_11"><owl:deprecated>true</owl:deprecated></owl:Class>'
    assert list(read(CELLS + gone, root="CL:11").terms) == ["CL:1"]


@pytest.mark.parametrize(
    ("iri", "short"),
    [
        (PURL + "GO_0008150", "GO:0008150"),
        ("https" + PURL[4:] + "GO_0008150", "GO:0008150"),
        (PURL + "APOLLO_SV_00000001", "APOLLO_SV:00000001"),
        (PURL + "MONDO_x1", "MONDO:x1"),
        (PURL + "go#part_of", "part_of"),
        (PURL + "uberon/core#attached_to", "attached_to"),
        (PURL + "uberon.owl", PURL + "uberon.owl"),
        ("http://www.ebi.ac.uk/efo/EFO_0000001", "EFO:0000001"),
        ("http://www.orpha.net/ORDO/Orphanet_558", "Orphanet:558"),
        ("http://example.org/GO_0008150", "http://example.org/GO_0008150"),
        ("GO:0008150", "GO:0008150"),
        ("", ""),
    ],
)
def test_owl__short_identifiers(iri, short):
    assert short_id(iri) == short


def test_owl__protege_writes_entities():
    text = document(CELLS).replace(PURL, "&obo;").replace('="http://www.w3.org/2000/01/rdf-schema#"', '="&rdfs;"')
    declared = f'<!ENTITY obo "{PURL}">\n<!ENTITY rdfs "http://www.w3.org/2000/01/rdf-schema#">'
    text = text.replace("<rdf:RDF", f"<!DOCTYPE rdf:RDF [\n{declared}\n]>\n<rdf:RDF", 1)
    assert rows(read_owl(io.BytesIO(text.encode()))) == [("CL:1", "is_a", "CL:0")]


def test_owl__files(tmp_path):
    path = tmp_path / "x.owl.gz"
    path.write_bytes(gzip.compress(document(CELLS).encode()))
    assert rows(read_owl(path)) == rows(read_owl(io.StringIO(document(CELLS)))) == [("CL:1", "is_a", "CL:0")]
    with pytest.raises(FileNotFoundError):
        read_owl(tmp_path / "none.owl")


# ---------------------------------------------------------------------- refusals and their places


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "no element found"),
        ("<Ontology xmlns='http://www.w3.org/2002/07/owl#'><x/></Ontology>", 1, "this is OWL/XML: save it as RDF/XML"),
        ("<html/>", 1, "begins with rdf:RDF, not with html"),
        (document(""), 1, "there is no class in it"),
        (document("<owl:Class/>"), 1, "there is no class in it"),
        (
            document('<owl:Class rdf:about="obo:A_1">\n<rdfs:subClassOf/></owl:Class>'),
            7,
            "rdfs:subClassOf names no class",
        ),
        (document('\n<owl:Class rdf:about="//[x">\n</owl:Class>'), 8, "is not a reference"),
        (document(CELLS)[:-20], None, "this is not well-formed XML"),
        (
            document(CELLS).replace("<rdf:RDF", '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;">]><rdf:RDF'),
            2,
            "for safety",
        ),
    ],
)
def test_owl__refusals_name_the_place(text, line, what):
    with pytest.raises(ParseError) as caught:
        read_owl(named_stream(text, "x.owl"))
    assert what in str(caught.value)
    assert caught.value.path == "x.owl"
    assert caught.value.line == (line or text.count("\n") + 1)


def test_owl__cycles_are_refused_with_every_step_and_its_line():
    body = "".join(
        f'<owl:Class rdf:about="obo:A_{k}">\n<rdfs:subClassOf rdf:resource="obo:A_{(k + 1) % 3}"/></owl:Class>\n'
        for k in range(3)
    )
    with pytest.raises(ParseError) as caught:
        read(body)
    steps = re.findall(r"A:(\d) is_a A:(\d) \(line (\d+)\)", str(caught.value))
    assert sorted(steps) == [("0", "1", "7"), ("1", "2", "9"), ("2", "0", "11")]
    assert caught.value.line == int(steps[0][2])


@given(st.data())
def test_owl__mutations_give_an_ontology_or_a_tripletree_error(data):
    content = bytearray(document(CELLS).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        stop = min(len(content), start + data.draw(st.integers(0, 40)))
        pieces = [
            b"",
            b"<",
            b"/>",
            b'"',
            b"#",
            b"CL_1",
            b"&lt;",
            b"rdf:nodeID",
            b"<rdf:Description/>",
            b"http://[",
            b"\xff",
        ]
        content[start:stop] = data.draw(st.sampled_from(pieces) | st.binary(max_size=3))
    try:
        o = read_owl(io.BytesIO(content), relations=None, obsolete=data.draw(st.booleans()))
    except TripletreeError:
        return
    assert o.n_terms >= 1


DEFINED = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
<owl:Class rdf:about="http://x/a"/>
<owl:Class rdf:about="http://x/b"><owl:equivalentClass><owl:Class>
  <owl:intersectionOf rdf:parseType="Collection"><rdf:Description rdf:about="http://x/a"/>
    <owl:Restriction><owl:onProperty rdf:resource="http://x/p"/><owl:someValuesFrom rdf:resource="http://x/a"/>
    </owl:Restriction></owl:intersectionOf></owl:Class></owl:equivalentClass></owl:Class>
<owl:Class rdf:about="http://x/c"><owl:intersectionOf rdf:parseType="Collection">
  <owl:Class rdf:about="http://x/b"/><owl:Class rdf:about="http://x/a"/></owl:intersectionOf>
  <rdfs:subClassOf rdf:resource="http://x/b"/></owl:Class>
<owl:Class rdf:about="http://x/d"><owl:equivalentClass rdf:resource="http://x/a"/></owl:Class>
<owl:Class rdf:about="http://x/e"><owl:equivalentClass><owl:Class rdf:about="http://x/a"/></owl:equivalentClass>
</owl:Class>
</rdf:RDF>"""


def test_genus__is_a_parent():
    def edges(**options):
        found = read_owl(io.StringIO(DEFINED), **options)
        return sorted((found.terms[u][-1], found.terms[p][-1]) for u, p in found.edges.tolist())

    assert edges(genus=False) == [("c", "b")]
    assert edges() == [("b", "a"), ("c", "b")]


EXPRESSION = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:skos="http://www.w3.org/2004/02/skos/core#">
<owl:Class rdf:about="#top"/>
<owl:Class rdf:about="#b"><rdfs:subClassOf rdf:resource="#top"/></owl:Class>
<owl:Class rdf:about="#c"><rdfs:subClassOf rdf:resource="#top"/></owl:Class>
<owl:Class rdf:about="#b1"><rdfs:subClassOf rdf:resource="#b"/></owl:Class>
<owl:Class rdf:about="#b2"><rdfs:subClassOf rdf:resource="#b"/></owl:Class>
<owl:Class rdf:about="#u1"><rdfs:subClassOf rdf:resource="#u"/></owl:Class>
<owl:Class rdf:about="#u2"><rdfs:subClassOf rdf:resource="#u"/></owl:Class>
<owl:Class rdf:about="#u">STATEMENT</owl:Class>
</rdf:RDF>"""
MEMBERS = """<owl:KIND rdf:parseType="Collection"><rdf:Description rdf:about="#b"/><owl:Restriction>
  <owl:onProperty rdf:resource="#p"/><owl:someValuesFrom rdf:resource="#c"/></owl:Restriction></owl:KIND>"""


def of_expression(statement):
    found = read_owl(io.StringIO(EXPRESSION.replace("STATEMENT", statement)))
    opened = np.zeros(found.n_terms, bool) if found.incertae_sedis is None else found.incertae_sedis
    at = list(found.terms).index("#u")
    return [found.terms[p] for c, p in found.edges.tolist() if c == at], bool(opened[at])


def test_expression__a_class_below_an_intersection_is_below_its_named_class():
    both = MEMBERS.replace("KIND", "intersectionOf")
    assert of_expression(f"<rdfs:subClassOf><owl:Class>{both}</owl:Class></rdfs:subClassOf>") == (["#b"], False)
    nested = f'<owl:intersectionOf rdf:parseType="Collection"><owl:Class>{both}</owl:Class></owl:intersectionOf>'
    assert of_expression(f"<rdfs:subClassOf><owl:Class>{nested}</owl:Class></rdfs:subClassOf>") == (["#b"], False)
    apart = f'<rdfs:subClassOf rdf:nodeID="n"/></owl:Class><owl:Class rdf:nodeID="n">{both}'
    assert of_expression(apart) == (["#b"], False)


def test_expression__a_class_below_a_union_and_a_concept_below_some_ancestor_are_open():
    either = MEMBERS.replace("KIND", "unionOf")
    assert of_expression(f"<rdfs:subClassOf><owl:Class>{either}</owl:Class></rdfs:subClassOf>") == ([], True)
    assert of_expression(f'<rdfs:subClassOf rdf:nodeID="n"/></owl:Class><owl:Class rdf:nodeID="n">{either}') == (
        [],
        True,
    )
    for kind in ("broaderTransitive", "broadMatch"):
        assert of_expression(f'<skos:{kind} rdf:resource="#b"/>') == ([], True)
    inverse = '</owl:Class><owl:Class rdf:about="#b"><skos:narrowMatch rdf:resource="#u"/>'
    assert of_expression(inverse) == ([], True)
    assert of_expression("") == ([], False)  # a top of its own
    assert of_expression('<skos:broadMatch rdf:resource="#b"/><rdfs:subClassOf rdf:resource="#c"/>') == (["#c"], False)
