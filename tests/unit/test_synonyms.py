"""read_synonyms: further names of terms, the same from all formats, and names that find them."""

import io
import json
import re

import pytest

import tripletree as tt
from tripletree.datasets import sample_path
from tripletree.errors import DuplicateLeafError, ParseError
from tripletree.io import read_synonyms

OBO = r"""
[Term]
id: X:1
name: cell
synonym: "unit of life" EXACT [GOC:a, GOC:b]
synonym: "cellule \"vivante\"" EXACT French []
synonym: "corpuscle" BROAD []
synonym: "untold" []
alt_id: X:9

[Term]
id: X:2
name: T cell
exact_synonym: "T lymphocyte" []
narrow_synonym: "thymocyte" []
is_a: X:1

[Term]
id: X:3
name: gone
synonym: "lost" EXACT []
is_obsolete: true

[Term]
id: X:4
name: other
synonym: "unit of life" EXACT []
is_a: X:1
"""

EXACT = {
    "cell": ["X:1"],
    "T cell": ["X:2"],
    "other": ["X:4"],
    "unit of life": ["X:1", "cell", "X:4", "other"],
    'cellule "vivante"': ["X:1", "cell"],
    "T lymphocyte": ["X:2", "T cell"],
    "X:9": ["X:1", "cell"],
}

CELL = [("Exact", "unit of life"), ("Exact", 'cellule "vivante"'), ("Broad", "corpuscle")]


def as_owl():
    terms = [
        (
            "X_1",
            "cell",
            [("Exact", "unit of life"), ("Exact", 'cellule "vivante"'), ("Broad", "corpuscle")],
            "X:9",
            None,
        ),
        ("X_2", "T cell", [("Exact", "T lymphocyte"), ("Narrow", "thymocyte")], None, "X_1"),
        ("X_3", "gone", [("Exact", "lost")], None, None),
        ("X_4", "other", [("Exact", "unit of life"), ("Related", "untold")], None, "X_1"),
    ]
    base = "http://purl.obolibrary.org/obo/"
    text = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#" '
        'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" '
        'xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">'
    )
    for term, name, synonyms, alternative, parent in terms:
        text += f'<owl:Class rdf:about="{base}{term}"><rdfs:label>{name}</rdfs:label>'
        text += "".join(f"<oboInOwl:has{s}Synonym>{x}</oboInOwl:has{s}Synonym>" for s, x in synonyms)
        text += f"<oboInOwl:hasAlternativeId>{alternative}</oboInOwl:hasAlternativeId>" if alternative else ""
        text += f'<rdfs:subClassOf rdf:resource="{base}{parent}"/>' if parent else ""
        text += "<owl:deprecated>true</owl:deprecated>" if term == "X_3" else ""
        text += "</owl:Class>"
    return text + "</rdf:RDF>"


def as_obograph():
    nodes = [
        ("X_1", "cell", CELL, "X:9"),
        ("X_2", "T cell", [("Exact", "T lymphocyte"), ("Narrow", "thymocyte")], None),
        ("X_3", "gone", [("Exact", "lost")], None),
        ("X_4", "other", [("Exact", "unit of life"), ("Related", "untold")], None),
    ]
    base = "http://purl.obolibrary.org/obo/"
    made = []
    for term, name, synonyms, alternative in nodes:
        meta = {"synonyms": [{"pred": f"has{s}Synonym", "val": x, "xrefs": []} for s, x in synonyms]}
        if alternative:
            pred = "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId"
            meta["basicPropertyValues"] = [{"pred": pred, "val": alternative}]
        if term == "X_3":
            meta["deprecated"] = True
        made.append({"id": base + term, "lbl": name, "type": "CLASS", "meta": meta})
    edges = [{"sub": base + f"X_{k}", "pred": "is_a", "obj": base + "X_1"} for k in (2, 4)]
    return json.dumps({"graphs": [{"nodes": made, "edges": edges}]})


@pytest.mark.parametrize("text", [OBO, as_owl(), as_obograph()], ids=["obo", "owl", "obograph"])
def test_synonyms__the_same_from_all_formats(text):
    assert read_synonyms(io.StringIO(text)) == EXACT
    every = read_synonyms(io.StringIO(text), scopes=("exact", "narrow", "broad", "related"))
    assert {x: every[x][0] for x in every.keys() - EXACT.keys()} == {
        "corpuscle": "X:1",
        "thymocyte": "X:2",
        "untold": every["untold"][0],
    }
    assert set(read_synonyms(io.StringIO(text), scopes="broad")) == {"cell", "T cell", "other", "corpuscle", "X:9"}


def test_synonyms__of_the_sample_as_its_lines_have_them():
    path = sample_path("cell_types.obo")
    text = path.read_text()
    found = read_synonyms(path)
    pairs = []
    for stanza in text.split("[Term]")[1:]:
        term = re.search(r"^id: (\S+)", stanza, re.M)[1]
        pairs += [(x, term) for x in re.findall(r'^synonym: "([^"]+)" EXACT', stanza, re.M)]
    assert len(pairs) > 10
    assert all(found[x][0] == term for x, term in pairs)


def test_synonyms__bad_input(tmp_path):
    with pytest.raises(ValueError, match=r"scopes must be some of 'exact', 'narrow', 'broad', 'related', not 'near'"):
        read_synonyms(io.StringIO(OBO), scopes="near")
    with pytest.raises(ParseError, match=r"Newick has no other names of taxa; OWL .* have them"):
        read_synonyms(io.StringIO("((a,b),c);"))
    with pytest.raises(TypeError, match="root: no option of format 'obo'"):
        read_synonyms(io.StringIO(OBO), root="X:1")
    with pytest.raises(ParseError, match="line 4"):
        read_synonyms(io.StringIO('[Term]\nid: X:1\nname: x\nsynonym: "open EXACT []\n'))


# ---------------------------------------------------------------------- names to terms


def found(names, **options):
    pytest.importorskip("rapidfuzz")
    ontology = tt.read_ontology(io.StringIO(OBO))
    return tt.match_names(names, ontology, synonyms=read_synonyms(io.StringIO(OBO)), **options)


@pytest.mark.parametrize(
    ("name", "match", "kind"),
    [
        ("X:2", "X:2", "exact"),
        ("T cell", "X:2", "exact"),
        ("t_CELL", "X:2", "form"),
        ("t lymphocyte", "X:2", "synonym"),
        ("X:9", "X:1", "synonym"),
        ("unit of life", None, "ambiguous"),
        ("T cel", "X:2", "form"),
        ("T cell of the thymus", None, "none"),  # no rank says that its first words were a species
        ("cell line", None, "none"),
        ("lost", None, "none"),
    ],
)
def test_synonyms__names_find_terms(name, match, kind):
    result = found([name], min_score=0.7)
    kind = "spelling" if name == "T cel" else kind
    assert (result.matches, result.kinds) == ((match,), (kind,))


def test_synonyms__another_number_is_another_term():
    pytest.importorskip("rapidfuzz")
    h = tt.parse_newick("((GO0000084,GO0000085),GO0000100);")
    assert tt.match_names(["GO0000086"], h).kinds == ("none",)


def test_synonyms__a_table_by_names_and_an_ontology_of_the_names():
    result = found(["T lymphocyte", "unit of life", "nothing"])
    assert result.columns()["match"] == ["T cell", None, None]
    assert result.columns()["suggestions"][1] == "cell|other"
    chosen = result.choose({"unit of life": "cell"})
    assert chosen.matches == ("X:2", "X:1", None)
    made = chosen.attach()
    assert isinstance(made, tt.Ontology)
    assert made.leaves.labels == ("T lymphocyte", "unit of life")
    assert made.parents("unit of life") == ["X:1"]


def test_synonyms__names_that_are_ids():
    assert found(["X:2", "T lymphocyte"]).matches == ("X:2", "X:2")
    leaf = found(["X:4", "T cell"]).attach()
    assert leaf.leaves.labels == ("X:4", "T cell")
    assert leaf.parents("X:4") == ["X:1"]
    with pytest.raises(DuplicateLeafError, match="rename the item"):
        found(["X:1", "T cell"]).attach()
