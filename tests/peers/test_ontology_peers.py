"""Ontologies beside obonet, goatools and pronto, on made and on collected files."""

import io
import json
import os
import sqlite3
import warnings
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core.ontology import Ontology
from tripletree.errors import ParseError
from tripletree.io.obo import parse_obo, read_obo, write_obo
from tripletree.io.obograph import read_obograph
from tripletree.io.owl import read_owl

obonet = pytest.importorskip("obonet", reason="obonet is not installed")

CELL_TYPES = Path(__file__).parents[2] / "sample_hierarchies" / "cell_types.obo"
PURL = "http://purl.obolibrary.org/obo/"

#: Files that obonet refuses: prose before the first term. More than two words in a relationship.
NOT_FOR_OBONET = {"fig2a.obo", "mini_obo.obo", "mini_slim_obo.obo"}


def edges(ontology):
    """The edges as a set of (child, relation, parent)."""
    terms = list(ontology.terms)
    return {(terms[c], r, terms[p]) for (c, p), r in zip(ontology.edges.tolist(), ontology.relations, strict=True)}


def obonet_edges(path, relations):
    graph = obonet.read_obo(path)
    return {(child, key, parent) for child, parent, key in graph.edges(keys=True) if key in relations}


def pronto_ontology(source):
    pronto = pytest.importorskip("pronto", reason="pronto is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pronto.Ontology(source, import_depth=0)


def pronto_edges(ontology):
    return {
        (term.id, "is_a", above.id)
        for term in ontology.terms()
        for above in term.superclasses(distance=1, with_self=False)
        if not term.obsolete
    }


def collected(shared):
    return [*sorted((shared / "nasty_obo").glob("*.obo*")), CELL_TYPES]


# ---------------------------------------------------------------------- OBO


@pytest.mark.parametrize("relations", [["is_a"], ["is_a", "part_of"], ["is_a", "develops_from"]])
def test_ontology_peers__obonet_on_the_sample(relations):
    assert edges(read_obo(CELL_TYPES, relations=relations)) == obonet_edges(CELL_TYPES, relations)


@pytest.mark.shared
def test_ontology_peers__obonet_on_collected_files(shared):
    seen = 0
    for path in collected(shared):
        if path.name in NOT_FOR_OBONET:
            with pytest.raises(ValueError, match="parsing failed|too many values"):
                obonet.read_obo(path)
            continue
        ours = read_obo(path, relations=None)
        assert edges(ours) == obonet_edges(path, ("is_a", "part_of")), path.name
        assert edges(read_obo(path)) == obonet_edges(path, ("is_a",)), path.name
        graph = obonet.read_obo(path)
        assert set(ours.terms) <= set(graph)
        names = dict(zip(ours.terms, ours.names or [None] * ours.n_terms, strict=True))
        assert names == {x: graph.nodes[x].get("name") for x in ours.terms}
        seen += 1
    assert seen == 12


@pytest.mark.shared
def test_ontology_peers__collected_files_by_hand(shared):
    folder = shared / "nasty_obo"
    assert {path.name: len(read_obo(path).edges) for path in collected(shared) if path.name in NOT_FOR_OBONET} == {
        "fig2a.obo": 7,
        "mini_obo.obo": 12,
        "mini_slim_obo.obo": 3,
    }
    with pytest.raises(ParseError, match=r"'GO:0000006 \| F'") as caught:
        read_obo(folder / "fig2a.obo", relations=["part_of"])
    assert (caught.value.line, caught.value.column) == (46, 23)


@pytest.mark.shared
def test_ontology_peers__goatools_on_collected_files(shared, tmp_path):
    goatools = pytest.importorskip("goatools.obo_parser", reason="goatools is not installed")
    for path in collected(shared):
        if path.suffix == ".xz":
            continue
        ours = read_obo(path)
        defined = {term for term in ours.terms if f"id: {term}\n" in path.read_text(encoding="utf-8")}
        dag = goatools.GODag(str(path), prt=None)
        theirs = {(x.item_id, "is_a", p.item_id) for x in set(dag.values()) for p in x.parents}
        assert {edge for edge in edges(ours) if edge[2] in defined} == {
            edge for edge in theirs if edge[2] in defined
        }, path


@given(st.data())
def test_ontology_peers__obonet_on_made_files(data):
    n = data.draw(st.integers(1, 8))
    ids = [f"X:{k}" for k in range(n)]
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=12))
    kept = [(max(pair), min(pair)) for pair in pairs if pair[0] != pair[1]]
    kinds = data.draw(st.lists(st.sampled_from(["is_a", "part_of", "has"]), min_size=len(kept), max_size=len(kept)))
    made = Ontology(ids, kept, names=[f"term {k}" for k in range(n)], relations=kinds)
    text = write_obo(made)
    graph = obonet.read_obo(io.StringIO(text))
    assert {(a, key, b) for a, b, key in graph.edges(keys=True)} == edges(made)
    assert {x: graph.nodes[x]["name"] for x in graph} == dict(zip(made.terms, made.names, strict=True))
    assert edges(parse_obo(text, relations=[*set(kinds)])) == edges(made)


# ---------------------------------------------------------------------- OBO Graphs and OWL


def test_ontology_peers__pronto_reads_what_we_write(tmp_path):
    ours = read_obo(CELL_TYPES)
    path = tmp_path / "cells.obo"
    write_obo(ours, path)
    theirs = pronto_ontology(path)
    assert pronto_edges(theirs) == edges(ours)
    assert {x.id: x.name for x in theirs.terms()} == dict(zip(ours.terms, ours.names, strict=True))


def test_ontology_peers__we_read_the_graph_that_pronto_writes(tmp_path):
    path = tmp_path / "cells.json"
    with path.open("wb") as file:
        pronto_ontology(CELL_TYPES).dump(file, format="json")
    ours, again = read_obo(CELL_TYPES, obsolete=True), read_obograph(path)  # pronto writes nothing as deprecated
    assert edges(again) == edges(ours)
    assert dict(zip(again.terms, again.names, strict=True)) == dict(zip(ours.terms, ours.names, strict=True))


def owl_text(ontology):
    """A file as the OBO library writes them."""
    spaces = {
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "owl": "http://www.w3.org/2002/07/owl#",
    }
    iris = [quoteattr(PURL + x.replace(":", "_")) for x in ontology.terms]
    lines = ["<rdf:RDF", *(f" xmlns:{key}={quoteattr(value)}" for key, value in spaces.items()), ">"]
    lines += [f"<owl:Ontology rdf:about='{PURL}cells.owl'/>"]
    above = [[] for _ in iris]
    for child, parent in ontology.edges.tolist():
        above[child].append(iris[parent])
    for u, name in enumerate(ontology.names):
        lines.append(f"<owl:Class rdf:about={iris[u]}><rdfs:label>{name}</rdfs:label>")
        lines += [f"<rdfs:subClassOf rdf:resource={iri}/>" for iri in above[u]]
        lines.append("</owl:Class>")
    return "\n".join([*lines, "</rdf:RDF>"])


def test_ontology_peers__pronto_and_we_read_the_same_owl(tmp_path):
    ours = read_obo(CELL_TYPES)
    path = tmp_path / "cells.owl"
    path.write_text(owl_text(ours), encoding="utf-8")
    again, theirs = read_owl(path), pronto_ontology(path)
    assert edges(again) == edges(ours) == pronto_edges(theirs)
    assert {x.id: x.name for x in theirs.terms()} == dict(zip(again.terms, again.names, strict=True))


# ---------------------------------------------------------------------- the Gene Ontology


@pytest.fixture(scope="module")
def gene_ontology():
    places = [Path(os.environ.get("TRIPLETREE_DATA", ".")), Path("/usr/lib/R/site-library/GO.db/extdata")]
    found = next((folder / "GO.sqlite" for folder in places if (folder / "GO.sqlite").exists()), None)
    if found is None:
        pytest.skip("no GO.sqlite in TRIPLETREE_DATA, and Debian's r-bioc-go.db is not installed")
    base = sqlite3.connect(f"file:{found}?mode=ro", uri=True)
    terms = base.execute("select _id, go_id, term from go_term where go_id <> 'all' and ontology = 'CC'").fetchall()
    number = {key: k for k, (key, _, _) in enumerate(terms)}
    rows = base.execute("select _id, _parent_id from go_cc_parents where relationship_type = 'isa'").fetchall()
    kept = [(number[c], number[p]) for c, p in rows if c in number and p in number]
    return Ontology([x[1] for x in terms], kept, names=[x[2] for x in terms])


@pytest.mark.shared
def test_ontology_peers__three_formats_of_one_ontology_agree(gene_ontology):
    names = [None if x is None else x.replace("<", "&lt;").replace("&", "&amp;") for x in gene_ontology.names]
    safe = Ontology(gene_ontology.terms, gene_ontology.edges, names=names)
    nodes = [
        {"id": x, "lbl": y, "type": "CLASS"} for x, y in zip(gene_ontology.terms, gene_ontology.names, strict=True)
    ]
    rows = [{"sub": c, "pred": r, "obj": p} for c, r, p in edges(gene_ontology)]
    graph = io.StringIO(json.dumps({"graphs": [{"nodes": nodes, "edges": rows}]}))
    found = [parse_obo(write_obo(gene_ontology)), read_owl(io.StringIO(owl_text(safe))), read_obograph(graph)]
    for o in found:
        assert list(o.terms) == list(gene_ontology.terms)
        assert edges(o) == edges(gene_ontology)
        assert o.roots == ["GO:0005575"]
