"""Relations that point from a whole down to its parts are turned, in each format of ontologies. Thesauri in SKOS."""

import io
import json

import pytest

from tripletree.io import read_obo, read_obograph, read_ontology, read_owl, recognize
from tripletree.io.registry import read_synonyms

BIKE = [("bike", "wheel"), ("wheel", "rim"), ("wheel", "tyre"), ("bike", "bell")]
UPWARDS = {(f"B:{y}", "part_of", f"B:{x}") for x, y in BIKE}


def edges(ontology):
    terms = list(ontology.terms)
    pairs = zip(ontology.edges.tolist(), ontology.relations, strict=True)
    return {(terms[c], kind, terms[p]) for (c, p), kind in pairs}


def obo(relation, *, typedef=""):
    terms = dict.fromkeys(x for pair in BIKE for x in pair)
    text = "format-version: 1.2\n"
    for term in terms:
        text += f"[Term]\nid: B:{term}\n" + "".join(f"relationship: {relation} B:{y}\n" for x, y in BIKE if x == term)
    return io.StringIO(f"{text}[Typedef]\nid: {relation}\n{typedef}")


def test_obo_has_part_is_part_of_turned():
    assert edges(read_obo(obo("has_part"), relations="has_part")) == UPWARDS


@pytest.mark.parametrize(
    "typedef", ["inverse_of: part_of\n", "[Typedef]\nid: part_of\ninverse_of: is_made_of\n"], ids=["its own", "other's"]
)
def test_obo_the_files_own_inverse_counts(typedef):
    ontology = read_obo(obo("is_made_of", typedef=typedef), relations="is_made_of")
    assert edges(ontology) == UPWARDS


def test_obo_a_relation_of_unknown_direction_stays():
    found = edges(read_obo(obo("touches"), relations="touches"))
    assert found == {(p, "touches", c) for c, _, p in UPWARDS}


def test_obo_part_of_with_a_stated_inverse_is_not_turned():
    text = "[Term]\nid: a\nrelationship: part_of b\n[Term]\nid: b\n[Typedef]\nid: part_of\ninverse_of: has_part\n"
    assert edges(read_obo(io.StringIO(text), relations="part_of")) == {("a", "part_of", "b")}


def test_obo_an_edge_said_both_ways_is_one():
    text = "[Term]\nid: a\nrelationship: part_of b\n[Term]\nid: b\nrelationship: has_part a\n"
    both = read_obo(io.StringIO(text), relations=["part_of", "has_part"])
    assert len(both.edges) == 1
    assert edges(both) == {("a", "part_of", "b")}


def test_obograph_has_part_and_a_stated_inverse():
    nodes = [{"id": f"B:{x}", "type": "CLASS"} for x in dict.fromkeys(x for pair in BIKE for x in pair)]
    for relation, stated in (("http://purl.obolibrary.org/obo/BFO_0000051", []), ("comprises", ["part_of"])):
        found = [{"sub": f"B:{x}", "pred": relation, "obj": f"B:{y}"} for x, y in BIKE]
        found += [{"sub": relation, "pred": "inverseOf", "obj": x} for x in stated]
        text = json.dumps({"graphs": [{"nodes": nodes, "edges": found}]})
        asked = "comprises" if stated else "has_part"
        assert edges(read_obograph(io.StringIO(text), relations=asked)) == UPWARDS


HEAD = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#" '
    'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">'
)
OBO = "http://purl.obolibrary.org/obo/"


@pytest.mark.parametrize("stated", [False, True])
def test_owl_restrictions_that_point_down(stated):
    kind = f"{OBO}X_0000007" if stated else f"{OBO}BFO_0000051"
    label, inverse = ("made of", f'<owl:inverseOf rdf:resource="{OBO}BFO_0000050"/>') if stated else ("has part", "")
    text = (
        f'{HEAD}<owl:ObjectProperty rdf:about="{kind}"><rdfs:label>{label}</rdfs:label>{inverse}</owl:ObjectProperty>'
    )
    for term in dict.fromkeys(x for pair in BIKE for x in pair):
        inner = "".join(
            f'<rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="{kind}"/>'
            f'<owl:someValuesFrom rdf:resource="{OBO}B_{y}"/></owl:Restriction></rdfs:subClassOf>'
            for x, y in BIKE
            if x == term
        )
        text += f'<owl:Class rdf:about="{OBO}B_{term}">{inner}</owl:Class>'
    found = edges(read_owl(io.StringIO(text + "</rdf:RDF>"), relations=label))
    assert {(c[-4:], kind, p[-4:]) for c, kind, p in found} == {(c[-4:], kind, p[-4:]) for c, kind, p in UPWARDS}


def concept(name, *parts, typed=True):
    tag = "skos:Concept" if typed else "rdf:Description"
    return f'<{tag} rdf:about="http://x.org/{name}">{"".join(parts)}</{tag}>'


def link(kind, name):
    return f'<skos:{kind} rdf:resource="http://x.org/{name}"/>'


@pytest.mark.parametrize(
    "body",
    [
        concept("food") + concept("fruit", link("broader", "food")) + concept("pear", link("broader", "fruit")),
        concept("food", link("narrower", "fruit")) + concept("fruit", link("narrower", "pear")) + concept("pear"),
        concept("food", link("narrower", "fruit"))
        + concept("fruit", link("broader", "food"), link("narrower", "pear"))
        + concept("pear", link("broader", "fruit")),
        concept("food", f"<skos:narrower>{concept('fruit', link('narrower', 'pear'))}</skos:narrower>"),
        concept("food")
        + concept("fruit", '<rdf:type rdf:resource="http://www.w3.org/2004/02/skos/core#Concept"/>', typed=False)
        + concept("fruit", link("broader", "food"))
        + concept("pear", link("broader", "fruit")),
    ],
    ids=["broader", "narrower", "both", "nested", "in parts"],
)
def test_skos_concepts_stand_below_broader_ones(body):
    text = HEAD + body + "</rdf:RDF>"
    assert recognize(io.StringIO(text)) == "owl"
    ontology = read_ontology(io.StringIO(text))
    x = "http://x.org/"
    assert edges(ontology) == {(f"{x}fruit", "is_a", f"{x}food"), (f"{x}pear", "is_a", f"{x}fruit")}


def test_skos_labels_are_names_and_alternative_ones_synonyms():
    label = '<skos:prefLabel xml:lang="{}">{}</skos:prefLabel>'
    text = HEAD + concept("food", label.format("de", "Essen"), label.format("en", "Food"))
    text += concept("pear", link("broader", "food"), "<skos:altLabel>Pyrus</skos:altLabel>") + "</rdf:RDF>"
    assert read_ontology(io.StringIO(text)).names == ("Food", "pear")
    assert read_synonyms(io.StringIO(text))["Pyrus"] == ["http://x.org/pear", "pear"]
