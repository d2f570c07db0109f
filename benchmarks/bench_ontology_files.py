"""Reading the Gene Ontology as OBO, OWL and OBO Graphs, beside obonet, goatools and pronto: time and peak memory.

The files are made from the SQLite file of Debian's r-bioc-go.db (all terms, definitions, synonyms and relations), in
the shape in which the Gene Ontology publishes them. Each reader runs in a process of its own.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

from _harness import Table

INSTALLED = Path("/usr/lib/R/site-library/GO.db/extdata/GO.sqlite")
SPACES = {"BP": "biological_process", "MF": "molecular_function", "CC": "cellular_component"}
PURL = "http://purl.obolibrary.org/obo/"

#: What each process runs: imports first, then `read`, which is timed.
READERS = {
    "tripletree": (
        "import tripletree.io.obo, tripletree.io.owl, tripletree.io.obograph",
        {
            "obo": "len(tripletree.io.obo.read_obo(path, relations=None).edges)",
            "owl": "len(tripletree.io.owl.read_owl(path, relations=None).edges)",
            "json": "len(tripletree.io.obograph.read_obograph(path, relations=None).edges)",
        },
    ),
    "goatools": (
        "from goatools.obo_parser import GODag",
        {"obo": "sum(len(t.parents) for k, t in GODag(path, prt=None, load_obsolete=False).items() if k == t.item_id)"},
    ),
    "obonet": (
        "import obonet",
        {"obo": "sum(k in ('is_a', 'part_of') for *_, k in obonet.read_obo(path).edges(keys=True))"},
    ),
    "pronto": (
        "import pronto, warnings; warnings.simplefilter('ignore')",
        dict.fromkeys(
            ("obo", "owl", "json"),
            "sum(len(list(t.superclasses(1, False))) for t in pronto.Ontology(path, import_depth=0).terms())",
        ),
    ),
}
TIMED = """
import re, sys, time
path = sys.argv[1]
{setup}
# not getrusage: its peak is the parent's, where that is higher
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
base = peak()
start = time.process_time()
edges = {read}
took = time.process_time() - start
print(took, (peak() - base) / 1024, edges)
"""


def gene_ontology(path):
    """Terms (id, name, namespace, definition, is obsolete), synonyms by id, and edges by id."""
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    terms = [
        (term, name, SPACES.get(space, space), text or "", gone)
        for table, gone in (("go_term", False), ("go_obsolete", True))
        for term, name, space, text in base.execute(f"select go_id, term, ontology, definition from {table}")
        if term != "all"
    ]
    number = dict(base.execute("select _id, go_id from go_term"))
    synonyms, edges = {}, {}
    for key, synonym, secondary in base.execute("select _id, synonym, secondary from go_synonym"):
        synonyms.setdefault(number[key], []).append((synonym, secondary))
    for space in ("bp", "mf", "cc"):
        rows = base.execute(f"select _id, _parent_id, relationship_type from go_{space}_parents")
        for child, parent, relation in rows:
            kind = {"isa": "is_a", "part of": "part_of"}.get(relation, relation.replace(" ", "_"))
            if number[parent] != "all":
                edges.setdefault(number[child], []).append((kind, number[parent]))
    return terms, synonyms, edges


def write_obo(path, terms, synonyms, edges):
    """The ontology as go.obo has it."""
    names = {term[0]: term[1] for term in terms}
    with path.open("w", encoding="utf-8") as file:
        file.write("format-version: 1.2\ndefault-namespace: gene_ontology\nontology: go\n")
        for term, name, space, text, gone in terms:
            quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            file.write(f"\n[Term]\nid: {term}\nname: {name}\nnamespace: {space}\n")
            file.write(f'def: "{quoted}" [GOC:curators, PMID:10873824]\n')
            for synonym, secondary in synonyms.get(term, []):
                line = f"alt_id: {secondary}" if secondary else f'synonym: "{synonym}" EXACT []'.replace("\\", "")
                file.write(line + "\n")
            for kind, parent in edges.get(term, []):
                head = "is_a:" if kind == "is_a" else f"relationship: {kind}"
                file.write(f"{head} {parent} ! {names[parent]}\n")
            if gone:
                file.write("is_obsolete: true\n")
        for kind in ("part_of", "regulates", "positively_regulates", "negatively_regulates"):
            file.write(f"\n[Typedef]\nid: {kind}\nname: {kind.replace('_', ' ')}\n")


def write_owl(path, terms, synonyms, edges):
    """The ontology as go.owl has it."""
    kinds = {"part_of": "BFO_0000050", "regulates": "RO_0002211"}
    kinds |= {"negatively_regulates": "RO_0002212", "positively_regulates": "RO_0002213"}
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0"?>\n<rdf:RDF xmlns="http://purl.obolibrary.org/obo/go.owl#"\n'
            '  xml:base="http://purl.obolibrary.org/obo/go.owl"\n'
            '  xmlns:obo="http://purl.obolibrary.org/obo/" xmlns:owl="http://www.w3.org/2002/07/owl#"\n'
            '  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n'
            '  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"\n'
            '  xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">\n'
            '<owl:Ontology rdf:about="http://purl.obolibrary.org/obo/go.owl"/>\n'
        )
        for kind, number in kinds.items():
            file.write(f'<owl:ObjectProperty rdf:about="{PURL}{number}">\n<oboInOwl:shorthand>{kind}')
            file.write(
                f"</oboInOwl:shorthand>\n<rdfs:label>{kind.replace('_', ' ')}</rdfs:label></owl:ObjectProperty>\n"
            )
        for term, name, space, text, gone in terms:
            iri = PURL + term.replace(":", "_")
            file.write(f'\n    <owl:Class rdf:about="{iri}">\n')
            for kind, parent in edges.get(term, []):
                above = PURL + parent.replace(":", "_")
                if kind == "is_a":
                    file.write(f'        <rdfs:subClassOf rdf:resource="{above}"/>\n')
                    continue
                file.write(
                    f"        <rdfs:subClassOf>\n            <owl:Restriction>\n"
                    f'                <owl:onProperty rdf:resource="{PURL}{kinds.get(kind, kind)}"/>\n'
                    f'                <owl:someValuesFrom rdf:resource="{above}"/>\n'
                    f"            </owl:Restriction>\n        </rdfs:subClassOf>\n"
                )
            file.write(f"        <obo:IAO_0000115>{escape(text)}</obo:IAO_0000115>\n")
            for synonym, _ in synonyms.get(term, []):
                file.write(f"        <oboInOwl:hasExactSynonym>{escape(synonym)}</oboInOwl:hasExactSynonym>\n")
            file.write(f"        <oboInOwl:hasOBONamespace>{space}</oboInOwl:hasOBONamespace>\n")
            file.write(f"        <oboInOwl:id>{term}</oboInOwl:id>\n        <rdfs:label>{escape(name)}</rdfs:label>\n")
            if gone:
                file.write("        <owl:deprecated>true</owl:deprecated>\n")
            file.write("    </owl:Class>\n")
            axiom = f'    <owl:Axiom>\n        <owl:annotatedSource rdf:resource="{iri}"/>\n'
            file.write(f"{axiom}        <owl:annotatedTarget>{escape(text)}</owl:annotatedTarget>\n    </owl:Axiom>\n")
        file.write("</rdf:RDF>\n")


def write_json(path, terms, synonyms, edges):
    """The ontology as go.json has it."""
    kinds = {"is_a": "is_a", "part_of": PURL + "BFO_0000050", "regulates": PURL + "RO_0002211"}
    kinds |= {"negatively_regulates": PURL + "RO_0002212", "positively_regulates": PURL + "RO_0002213"}
    nodes, rows = [], []
    for term, name, space, text, gone in terms:
        iri = PURL + term.replace(":", "_")
        pred = "http://www.geneontology.org/formats/oboInOwl#hasOBONamespace"
        meta = {"definition": {"val": text, "xrefs": []}, "basicPropertyValues": [{"pred": pred, "val": space}]}
        meta["synonyms"] = [{"pred": "hasExactSynonym", "val": x} for x, _ in synonyms.get(term, [])]
        nodes.append({"id": iri, "lbl": name, "type": "CLASS", "meta": meta | ({"deprecated": True} if gone else {})})
        for kind, parent in edges.get(term, []):
            rows.append({"sub": iri, "pred": kinds.get(kind, kind), "obj": PURL + parent.replace(":", "_")})
    for kind, iri in list(kinds.items())[1:]:
        nodes.append({"id": iri, "lbl": kind.replace("_", " "), "type": "PROPERTY"})
    graph = {"id": PURL + "go.owl", "nodes": nodes, "edges": rows}
    path.write_text(json.dumps({"graphs": [graph]}, indent=1), encoding="utf-8")


def measured(setup, read, path):
    """CPU seconds, megabytes on top of the imports, and what was read; the better of two runs."""
    runs = []
    for _ in range(2):
        code = TIMED.format(setup=setup, read=read)
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
        if done.returncode:
            return None, None, (done.stderr.strip().splitlines() or ["failed"])[-1][:60]
        took, peak, edges = done.stdout.splitlines()[-1].split()
        runs.append((float(took), float(peak), int(edges)))
    return min(runs)


def main():
    columns = [("file", 6), ("MB", 6), ("reader", 11), ("CPU s", 8), ("ratio", 7), ("peak MB", 8), ("edges", 8)]
    table = Table("The Gene Ontology", columns)
    places = [Path(os.environ.get("TRIPLETREE_DATA", ".")) / "GO.sqlite", INSTALLED]
    source = next((p for p in places if p.exists()), None)
    if source is None:
        print(f"skipped: no {INSTALLED} (Debian: r-bioc-go.db), and no GO.sqlite in TRIPLETREE_DATA")
        return
    data = gene_ontology(source)
    with tempfile.TemporaryDirectory() as folder:
        for kind, write in (("obo", write_obo), ("owl", write_owl), ("json", write_json)):
            path = Path(folder) / f"go.{kind}"
            write(path, *data)
            ours = None
            for name, (setup, reads) in READERS.items():
                if kind not in reads:
                    continue
                took, peak, edges = measured(setup, reads[kind], path)
                ours = took if name == "tripletree" else ours
                ratio = took / ours if took and ours else None
                table.add(kind, path.stat().st_size / 1e6, name, took, ratio, peak, edges)
    table.done()


if __name__ == "__main__":
    main()
