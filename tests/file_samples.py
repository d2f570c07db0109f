"""One tree in every format, for tests that cut, damage and mutate files."""

import io
import json
import re

from tripletree.io import read_hierarchy, write_nexus

UP = {
    "lion": "felids",
    "cat": "felids",
    "wolf": "canids",
    "red fox": "canids",
    "felids": "carnivores",
    "canids": "carnivores",
    "carnivores": "mammals",
    "human": "mammals",
    "mammals": "animals",
    "eagle": "birds",
    "owl": "birds",
    "birds": "animals",
}
#: Every name with its number, parents first.
NAMES = ("animals", "mammals", "birds", "carnivores", "felids", "canids", *(x for x in UP if x not in UP.values()))
ID = {name: k for k, name in enumerate(NAMES, 1)}
TIPS = [x for x in ID if x not in UP.values()]
RANKS = ["kingdom", "class", "order", "family", "species"]
#: Formats that are one document, which shows where it begins and ends.
DOCUMENTS = ("newick", "nexus", "phyloxml", "nexml", "json", "dot", "owl", "obograph", "icd")


def below(x):
    return [child for child, parent in UP.items() if parent == x]


def path_to(x):
    return [*path_to(UP[x]), x] if x in UP else [x]


def nested(x):
    return {"name": x, "children": [nested(y) for y in below(x)]} if below(x) else {"name": x}


def lists(x):
    return [lists(y) for y in below(x)] or x


def newick(x, between=","):
    name = f"'{x}'" if " " in x else x
    length = ":12.5" if x in UP else ""
    inner = between.join(newick(y, between) for y in below(x))
    return f"({inner}){name}{length}" if inner else name + length


def clades(x):
    return f"<clade><name>{x}</name>\n{''.join(map(clades, below(x)))}</clade>\n"


def diags(x):
    return f"<diag>\n<name>{x}</name>\n<desc>all {x}</desc>\n{''.join(map(diags, below(x)))}</diag>\n"


def lines(row, names=None, head=""):
    return head + "".join(row(x) + "\n" for x in names or UP)


def obo_id(x):
    return f"X:{ID[x]:07}"


def synset(x):
    pointers = [f"@ {ID[UP[x]]:08} n 0000"] if x in UP else []
    pointers += [f"~ {ID[y]:08} n 0000" for y in below(x)]
    return " ".join([f"{ID[x]:08} 03 n 01 {x.replace(' ', '_')} 0 {len(pointers):03}", *pointers, f"| a {x}"])


def obo_term(x):
    above = f"is_a: {obo_id(UP[x])} ! {UP[x]}\n" if x in UP else ""
    return f"[Term]\nid: {obo_id(x)}\nname: {x}\n{above}"


def owl_class(x):
    iri = "http://purl.obolibrary.org/obo/X_{:07}".format
    above = f' <rdfs:subClassOf rdf:resource="{iri(ID[UP[x]])}"/>\n' if x in UP else ""
    return f'<owl:Class rdf:about="{iri(ID[x])}">\n <rdfs:label>{x}</rdfs:label>\n{above}</owl:Class>'


def ranked(x):
    return "; ".join(f"{letter}__{name}" for letter, name in zip("kpcof", path_to(x), strict=False))


TREE = read_hierarchy(io.StringIO(json.dumps(nested("animals"))))
NUMBER = {f"'{x}'" if " " in x else x: str(i) for i, x in enumerate(TREE.leaves, 1)}
GRAPH = {
    "nodes": [{"id": obo_id(x), "lbl": x, "type": "CLASS"} for x in ID],
    "edges": [{"sub": obo_id(x), "pred": "is_a", "obj": obo_id(UP[x])} for x in UP],
}
RDF = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:owl="http://www.w3.org/2002/07/owl#"
  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
"""
NEXML = (
    '<?xml version="1.0"?>\n<nexml xmlns="http://www.nexml.org/2009">\n<otus id="t">\n'
    + lines(lambda x: f'  <otu id="t{ID[x]}" label="{x}"/>', ID)
    + '</otus>\n<trees otus="t">\n<tree id="one">\n'
    + lines(lambda x: f'  <node id="n{ID[x]}" otu="t{ID[x]}"/>', ID)
    + lines(lambda x: f'  <edge source="n{ID[UP[x]]}" target="n{ID[x]}"/>')
    + "</tree>\n</trees>\n</nexml>\n"
)
TRANSLATE = ",\n".join(f"  {k} {x}" for x, k in NUMBER.items())
MERGES = "0 1 0.5 2\n2 3 0.75 2\n6 7 1.25 4\n4 8 1.5 5\n5 9 2.5 6\n"

SAMPLES = {
    "newick": [
        newick("animals") + ";\n",
        newick("animals", ",\n ") + ";\n",
        "[&R] [drawn by hand]\n" + re.sub(r":12\.5|\)[a-z]+", lambda m: m[0][:1].strip(":"), newick("animals")) + ";\n",
    ],
    "nexus": [
        f"#NEXUS\nbegin trees;\ntree one = [&R] {newick('animals')};\nend;\n",
        f"#NEXUS begin trees; tree one = {newick('animals')}; end;\n",
        "#NEXUS\nBEGIN TREES;\nTREE t = (lion,cat);\nEND;\n",
        f"#NEXUS\nbegin taxa;\ndimensions ntax={len(NUMBER)};\ntaxlabels\n{' '.join(NUMBER)};\nend;\nbegin trees;\n"
        f"translate\n{TRANSLATE};\ntree one = [&R] {newick('animals')};\nutree two = {newick('animals')};\nend;\n",
        write_nexus(TREE),
    ],
    "phyloxml": [
        '<?xml version="1.0"?>\n<phyloxml xmlns="http://www.phyloxml.org">\n<phylogeny rooted="true">\n'
        f"{clades('animals')}</phylogeny>\n</phyloxml>\n"
    ],
    "nexml": [NEXML],
    "json": [
        json.dumps(nested("animals"), indent=1) + "\n",
        json.dumps(nested("animals")) + "\n",
        json.dumps(lists("animals")) + "\n",
        json.dumps(lists("animals"), indent=1) + "\n",
        json.dumps([{"id": x, "parent": UP.get(x)} for x in ID], indent=0) + "\n",
        "[\n" + ",\n".join(json.dumps({"id": x, "parent": UP.get(x)}) for x in ID) + "\n]\n",
    ],
    "dot": [
        lines(lambda x: f'  "{UP[x]}" -> "{x}";', head="digraph life {\n") + "}\n",
        lines(lambda x: f"{UP[x]} -> {x.replace(' ', '_')}", head="digraph {\n") + "}\n",
        "digraph { " + "; ".join(f'"{UP[x]}" -> "{x}"' for x in UP) + " }\n",
    ],
    "obo": [lines(obo_term, ID, "format-version: 1.2\nontology: x\n\n") + "[Typedef]\nid: part_of\nname: part of\n"],
    "owl": [RDF + lines(owl_class, ID) + "</rdf:RDF>\n"],
    "obograph": [json.dumps({"graphs": [GRAPH]}, indent=1) + "\n", json.dumps({"graphs": [GRAPH]}) + "\n"],
    "wordnet": [lines(synset, ID, "  1 This software and database is provided\n  2 under a licence\n")],
    "taxdump": [lines(lambda x: f"{ID[x]}\t|\t{ID[UP.get(x, x)]}\t|\tclade\t|\t\t|", ID)],
    "icd": [
        '<?xml version="1.0"?>\n<ICD10CM.tabular>\n<chapter>\n<name>1</name>\n<section id="animals">\n'
        f"{''.join(map(diags, below('animals')))}</section>\n</chapter>\n</ICD10CM.tabular>\n"
    ],
    "lineages": [
        *(lines(lambda x, s=s: s.join(path_to(x)), TIPS) for s in ("; ", ";", "|", "/")),
        lines(lambda x: " > ".join(path_to(x)), ID),
        lines(ranked, TIPS),
        lines(lambda x: f"f{ID[x]}\t{ranked(x)}\t0.9", TIPS, "Feature ID\tTaxon\tConfidence\n"),
        lines(lambda x: f"f{ID[x]}\t{ranked(x)}", TIPS),
        lines(lambda x: f"{ID[x]} - {' > '.join(path_to(x))}", ID, "# Google_Product_Taxonomy_Version: 2021-09-21\n"),
        lines(lambda x: ",".join([*path_to(x), *[""] * 5][:5]), TIPS, ",".join(RANKS) + "\n"),
    ],
    "edges": [
        lines(lambda x: f"{x},{UP[x]}", head="child,parent\n"),
        lines(lambda x: f"{x},{UP[x]},12.5", head="child,parent,length\n"),
        lines(lambda x: f"{ID[x]}\t{ID.get(UP.get(x), '')}\t{x}", ID, "id\tparent_id\tname\n"),
        lines(lambda x: f"{UP[x]};{x}", head="parent;child\n"),
        lines(lambda x: f"{x}\t{UP[x]}"),
        lines(lambda x: f"{x};{UP[x]}"),
    ],
    "codes": [lines(lambda x: f"{'.'.join(str(ID[y]) for y in path_to(x))},{x}", ID, "code,name\n")],
    "linkage": [MERGES, "cluster1,cluster2,height,size\n" + MERGES.replace(" ", ",")],
}
