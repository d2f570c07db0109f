"""Placeholders: names that are not taxa assert no triplets, in all formats, and the option that extends them."""

import io
import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tripletree as tt
from tripletree._core import engine
from tripletree.core import placeholders
from tripletree.core.notes import collected
from tripletree.core.placeholders import FILLER, MEMBER, NEAR, NOT_SURE, SURE, TAXON, Placeholders, automaton
from tripletree.io import (
    parse_obo,
    read_dot,
    read_edges,
    read_folder,
    read_lineages,
    read_ontology,
    read_taxdump,
    taxdump,
)

FILLERS = """uncultured|g__uncultured|uncultured bacterium|s__uncultured_bacterium|Unassigned|Ambiguous_taxa
D_5__uncultured|Incertae_Sedis|Unknown Family|environmental samples|environmental samples <Bacteria>
Fungi_cls_Incertae_sedis|Firmicutes_unclassified|unclassified Felidae|human gut metagenome|Quercus sp.|s__Quercus_sp
no rank|g__norank_f__Lachno|g__|__|Unidentified|Felidae environmental sample|Gyrista_XXX_sp.
Felidae indet.|Quercus spp.|f__Clostridiales_noname|Noname
[unassigned] Gastropoda|[Unassigned]|Fungi (incertae sedis)|Fungi [Incertae_sedis]|Incertae familiae|Incerti subordinis
Uncategorized|uncategorised|indet.|Indet|undet.|Mammalia_not_assigned|NoHit|no match|No_match|g__No-hit|o__No_matches
Other bacteria|other_mammals|Miscellaneous fungi|various|Uncl. Felidae|Unident.|UNK|Lymphoma, unspecified|lymphoma, NOS
Fungi (unidentified)|<unknown>|not provided|Unresolved Felidae|Fungi inc. sed.
unbekannt|Unbestimmt|k. A.|keine Angabe|nicht bestimmbar|inconnu|Indéterminée|non identifié|desconocido|sin clasificar
No identificado|sconosciuta|Desconhecido|onbekend|okänd|ukjent|Ukendt|tuntematon|nieznany|неизвестно|未知|不明
nicht zugeordnet|unklassifiziert|no clasificado|non classificato|não classificada|onbekende|niet bekend|geen gegevens
oklassificerad|luokittelematon|nieznane|nieokreślona|Brak danych|neznámý|Neurčeno|nezařazeno|nezaradené
bilinmiyor|belirsiz|не определено|Неизвестный|нет данных|невідомо|未分類|不詳|未同定
TBD|t.b.d.|tbc.|To be determined|to_be_named|pending|N.N.|n. n.|n.d.|not yet named|Missing|??|--|...|unsure
no name|No_ID
Other|k__Others|Not_available|not applicable|unranked|Unnamed|misc.|No blast hit|not assigned"""
TAXA = """Quercus robur|Unio|Uncinula necator|Fusarium oxysporum f. sp. cubense|WRAA01 sp1|s__Bog-38 sp002|Bacillota_A
Xenopus|Quercus robur subsp. x|Assignia|Sedisa|Franka|Spp1|Pseudomonas_X
Unkia|Nonamea|Matchia|Uncategoria|Incertella|Aedes (Stegomyia)|Nostoc|Brothera|Variousia
Flavobacterium|Otheria|Notothenia|Miscanthus|Microorganisms|organism
Toba|Tbilisia|Pendulina|Nona|Non|N.|Missinga|Pinopsida|to be or not
Brakea|Nezara viridula|Nestor|Ambystoma|Metazoa|Vicia incana|Beliops|Niesia|Envira|Немезия|Geenia|Descurainia
Sinapis|Kaa|Unbescheiden|Descampsia|Identia|Nonnea|Keinea"""


def names_of(text):
    return [x for line in text.splitlines() for x in line.split("|")]


@pytest.mark.parametrize("above", ["Bacteria", "uncultured"])
def test_placeholders__one_by_one_and_in_bulk(above):
    usual = Placeholders.of(True)
    for names, kind in ((names_of(FILLERS), FILLER), (names_of(TAXA), TAXON), (["Quercus sp. 7"], MEMBER)):
        assert [usual.kind(x) for x in names] == [kind] * len(names)
        n = len(names)
        inner = usual.kinds([above, *names, *"x" * n], np.array([-1, *[0] * n, *range(1, n + 1)]))
        assert inner[1 : n + 1].tolist() == [kind] * n
        leaf = usual.kinds([above, *names], np.array([-1, *[0] * n]))
        assert ((leaf[1:] != TAXON) == (kind != TAXON)).all()


def test_placeholders__of_terms_one_by_one_and_in_bulk():
    usual, above = Placeholders.of(True), "Dementia"
    forms = ["unspecified {}", "{}, unspecified", "{} NOS", "{}_nos", "other {}s", "unknown {}", "{} not known", "x {}"]
    names = [*names_of(FILLERS), *names_of(TAXA), *(x.format(y) for x in forms for y in ("dementia", "tumor"))]
    wanted = [usual.kind_of_term(x, [above]) for x in names]
    for ends in (["child"] * len(names), []):  # inner terms and leaves
        parent = np.array([-1, *[0] * len(names), *range(1, len(ends) + 1)])
        found = usual.kinds([above, *names, *ends], parent, above=lambda u: [above] if 0 < u <= len(names) else [])
        assert found[1 : len(names) + 1].tolist() == wanted
    assert set(wanted) == {TAXON, FILLER}


@pytest.mark.parametrize("gap", ["NA", "g__NA", "N/A", "nan", "<NA>", "null", "None", "g__none", "?", "-", "g__-"])
def test_placeholders__a_gap_above_others_is_no_taxon(gap):
    """In lineages, edges and trees alike. As the name of a leaf it is as good as others."""
    edges = f"child,parent\nR,\n{gap},R\nB,R\nu1,{gap}\nu2,{gap}\nv,B\nw,B\n"
    lineages = f"R; {gap}; u1\nR; {gap}; u2\nR; B; v\nR; B; w\n"
    for h in (
        read_edges(io.StringIO(edges)),
        read_lineages(io.StringIO(lineages)),
        tt.parse_newick(f"((u1,u2)'{gap}',(v,w)B)R;"),
    ):
        assert gap not in h.names
        assert list(tt.induce(h, [("u1", "u2", "v"), ("v", "w", "u1")])) == [None, None]
    leaf = tt.parse_newick(f"((u1,'{gap}')A,(v,w)B)R;")
    assert leaf.open_leaves == read_edges(io.StringIO(f"child,parent\nR,\nA,R\nu,A\n{gap},A\nx,R\n")).open_leaves == []
    assert Placeholders.of(False).kind(gap) == TAXON


@pytest.mark.parametrize("inner", [True, False])
def test_placeholders__every_known_form_has_a_sign(inner):
    """One by one and in bulk, with and without a rank's prefix, in any case, with underscores."""
    usual = Placeholders.of(True)
    names = [
        x for y in [*names_of(FILLERS), "NA", "null", "none"] for x in (y, f"g__{y}", y.upper(), y.replace(" ", "_"))
    ]
    n = len(names)
    parents = np.array([-1, *[0] * n, *(range(1, n + 1) if inner else [])])
    found = usual.kinds(["Bacteria", *names, *"x" * n * inner], parents)[1 : n + 1]
    assert [(x, k != TAXON) for x, k in zip(names, found.tolist(), strict=True)] == [
        (x, usual.kind(x, "Bacteria", leaf=not inner) != TAXON) for x in names
    ]


def test_placeholders__dot_and_folders(tmp_path):
    text = "digraph { R -> A; R -> unclassified_R; A -> a; A -> b; unclassified_R -> u; unclassified_R -> v }"
    for name in ("A/a", "A/b", "unclassified R/u", "unclassified R/v"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for read, source, names in (
        (read_dot, lambda: io.StringIO(text), {}),
        (read_folder, lambda: tmp_path, {"labels": "name"}),
        (read_folder, lambda: tmp_path, {}),
    ):
        h = read(source(), **names)
        assert [x.rsplit("/", 1)[-1] for x in h.open_leaves] == ["u", "v"]
        assert tt.count_triplets(h) == 0
        assert "1 placeholder node contracted" in tt.core.doubts(h)
        assert tt.count_triplets(read(source(), placeholders=False, **names)) == 4
        assert "A" not in read(source(), placeholders="A", **names).names


ICD = """<ICD10CM.tabular><chapter><name>2</name><section id="C81-C96">
<diag><name>C81</name><desc>Lymphoma</desc>
<diag><name>C81.0</name><desc>Nodular</desc><diag><name>C81.00</name></diag><diag><name>C81.01</name></diag></diag>
<diag><name>C81.8</name><desc>Other diseases of lymph</desc>
<diag><name>C81.81</name></diag><diag><name>C81.82</name></diag></diag>
<diag><name>C81.9</name><desc>Lymphoma, unspecified</desc>
<diag><name>C81.91</name></diag><diag><name>C81.92</name></diag></diag>
</diag></section></chapter></ICD10CM.tabular>"""


def test_placeholders__icd():
    h = tt.io.read_icd(io.StringIO(ICD))
    assert h.open_leaves == ["C81.91", "C81.92"]
    assert h.synonyms["C81.9"] == "C81"
    assert "1 placeholder term contracted" in tt.core.doubts(h)
    asked = [("C81.91", "C81.92", "C81.00"), ("C81.00", "C81.01", "C81.91"), ("C81.00", "C81.01", "C81.81")]
    assert list(tt.induce(h, asked)) == [None, None, asked[2]]
    closed = tt.io.read_icd(io.StringIO(ICD), placeholders=False)
    assert list(tt.induce(closed, asked)) == asked
    assert tt.read_ontology(io.StringIO(ICD)).open_leaves == h.open_leaves


def test_placeholders__what_is_left_of_a_term():
    usual = Placeholders.of(True)
    assert usual.kind_of_term("Other lymphomas", ["lymphoma"]) == usual.kind_of_term("other", ["cell"]) == FILLER
    assert usual.kind_of_term("other lymphoma", ["Lymphomas"]) == FILLER
    assert usual.kind_of_term("Quercus sp.", ["oak"]) == usual.kind_of_term("Incertae familiae", ["oak"]) == FILLER
    assert usual.kind_of_term("Other diseases of the lymph", ["lymphoma"]) == TAXON


def test_placeholders__a_name_filled_up_with_x_repeats_the_one_above():
    usual = Placeholders.of(True)
    assert usual.kind("Alveolata_X", "Alveolata") == usual.kind("Alveolata_XX", "p__Alveolata_X") == FILLER
    assert usual.kind("Pseudomonas_X", "Pseudomonadaceae") == usual.kind("Alveolata_X") == TAXON


def test_placeholders__names_that_hold_anything():
    usual = Placeholders.of(True)
    odd = ["a\0b", None, "", "\0", "uncultured\0", "uncultured", "İsp.", "\ud800 sp."]
    found = usual.kinds(odd, np.full(len(odd), -1))
    assert found.tolist()[:2] == [TAXON, TAXON]
    assert found[5] == FILLER
    assert usual.kinds(["x sp. 1", *odd[1:4]], np.array([-1, 0, 0, 0]))[0] == MEMBER


def test_placeholders__the_option():
    for option in ("Rest,No name", ["Rest", "no_name"]):
        more = Placeholders.of(option)
        assert [more.kind(x) for x in ("g__rest", "No  name", "uncultured", "Rests")] == [FILLER, FILLER, FILLER, TAXON]
        assert more.kinds(["rest"], np.array([-1])).tolist() == [FILLER]
    assert not Placeholders.of(False)
    assert Placeholders.of(False).kind("uncultured") == TAXON
    for wrong in (3, [1], [""]):
        with pytest.raises(TypeError, match="placeholders must be True, False, or names"):
            Placeholders.of(wrong)


QIIME = """Feature ID\tTaxon
a\td__B; p__P; c__C; o__O; f__F
b\td__B; p__P; c__C; o__O; f__E
u\td__B; p__P; c__C; o__uncultured; f__uncultured
v\td__B; p__P; c__C; o__uncultured; f__uncultured
i\td__B; p__P; c__C; o__Incertae Sedis; f__Unknown Family; g__G
w\td__B; p__P; c__D; o__W
"""


def test_placeholders__lineages():
    with collected() as notes:
        h = read_lineages(io.StringIO(QIIME))
    assert h.open_leaves == ["u", "v"]
    assert [h.names[u - h.n_leaves] for u in np.flatnonzero(h.incertae_sedis) if u >= h.n_leaves] == ["g__G"]
    assert [x.topic for x in notes if x.topic != "reading"] == ["placeholders"]
    # anything in class C against w, and nothing within it
    below = list("abuvi")
    assert tt.count_triplets(h) == len(list(itertools.combinations(below, 2)))
    closed = read_lineages(io.StringIO(QIIME), placeholders=False)
    assert closed.names.count("o__uncultured") == 1
    more = read_lineages(io.StringIO(QIIME), placeholders="o__O")
    assert "o__O" not in more.names


def test_placeholders__empty_ranks_hide_a_taxon_only_where_another_path_has_one():
    rows = "phylum,class,genus,species\nP,C,G1,a\nP,C,G1,b\nP,,G2,c\nQ,,G3,d\nQ,,G4,e\nQ,,G4,f\n"
    h = read_lineages(io.StringIO(rows))
    opened = {h.label(u) for u in np.flatnonzero(h.incertae_sedis)}
    assert opened == {"G2"}
    assert tt.count_triplets(h.restrict(["d", "e", "f"])) == 1


def test_placeholders__paths_that_end_in_one():
    h = read_lineages(io.StringIO("A; B; c\nA; B; d\nA; uncultured\nA; E\n"))
    assert list(h.leaves) == ["c", "d", "uncultured", "E"]
    assert h.open_leaves == ["uncultured"]


def test_placeholders__items_without_a_taxon_are_left_out():
    text = "f1\tk__A; p__B\nf2\tUnassigned\nf3\tk__A; p__C\nf4\tuncultured; uncultured\n"
    with pytest.warns(UserWarning, match="2 items without a taxon are left out: 'f2', 'f4'"):
        h = read_lineages(io.StringIO(text))
    assert list(h.leaves) == ["f1", "f3"]


EDGES = "child,parent,length\nroot,,\nQ,root,1\nun classified,Q,2\n"
EDGES += "uncultured oaks,Q,4\na,Q,1\nb,uncultured oaks,8\nz,root,1\n"


def test_placeholders__edges_add_up_their_lengths():
    with collected() as notes:
        h = read_edges(io.StringIO(EDGES))
    assert h.open_leaves == ["b"]
    assert h.length[h.leaves.index("b")] == 12
    assert [x.text for x in notes if x.topic != "reading"] == ["1 placeholder node contracted"]
    assert read_edges(io.StringIO(EDGES), placeholders=False).incertae_sedis is None
    assert read_edges(io.StringIO(EDGES), placeholders="un classified").open_leaves == ["un classified", "b"]


def dump(tmp_path, rows, merged=(), deleted=()):
    def write(name, lines):
        (tmp_path / name).write_text("".join("\t|\t".join(map(str, x)) + "\t|\n" for x in lines), encoding="utf-8")

    write("nodes.dmp", [(i, p, r) for i, p, r, _ in rows])
    write("names.dmp", [(i, x, "", "scientific name") for i, _, _, x in rows])
    if merged:
        write("merged.dmp", merged)
    if deleted:
        write("delnodes.dmp", [(x,) for x in deleted])
    return tmp_path


CATS = [
    *(
        (1, 1, "no rank", "root"),
        (2, 1, "family", "Felidae"),
        (3, 2, "genus", "Felis"),
        (4, 3, "species", "Felis catus"),
    ),
    *((5, 3, "species", "Felis chaus"), (6, 2, "no rank", "unclassified Felidae"), (7, 6, "species", "Felidae X1")),
    *(
        (8, 6, "species", "Felidae X2"),
        (9, 2, "no rank", "environmental samples"),
        (10, 9, "species", "uncultured felid"),
    ),
    *((11, 2, "species", "Felidae sp. 3"), (12, 1, "species", "Canis lupus")),
]


@pytest.mark.parametrize("labels", ["name", "id"])
def test_placeholders__taxdump(tmp_path, labels):
    folder = dump(tmp_path, CATS)
    h = read_taxdump(folder, labels=labels)
    number = {name: str(i) for i, _, _, name in CATS}
    shown = [
        x if labels == "name" else number[x] for x in ("Felidae X1", "Felidae X2", "uncultured felid", "Felidae sp. 3")
    ]
    assert h.open_leaves == shown
    assert h.n_nodes == len(CATS) - 2
    cats = [x if labels == "name" else number[x] for x in ("Felis catus", "Felis chaus", *["Felidae X1", "Felidae X2"])]
    assert tt.count_triplets(h.restrict(cats)) == 0
    assert tt.count_triplets(read_taxdump(folder, labels=labels, placeholders=False).restrict(cats)) == 4
    part = read_taxdump(folder, labels=labels, root=2)
    assert part.open_leaves == shown


def test_placeholders__taxdump_has_merged_and_deleted_ids(tmp_path):
    folder = dump(tmp_path, CATS, merged=[(90, 4), (91, 6), (92, 77)], deleted=[95])
    h = read_taxdump(folder)
    assert dict(h.synonyms) == {"90": "Felis catus", "91": "Felidae"}
    with pytest.warns(UserWarning, match="1 name is another name of what is known here: '90' for 'Felis catus'"):
        assert list(h.attach({"s": "90", "t": "Felis chaus"}).leaves) == ["s", "t"]
    assert dict(read_taxdump(folder, labels="id", root=3).synonyms) == {"90": "4"}
    with pytest.warns(UserWarning, match="'91' for '6'"):
        assert read_taxdump(folder, root=91).n_leaves == 2
    with pytest.raises(tt.errors.UnknownLeafError, match="NCBI deleted it"):
        read_taxdump(folder, root=95)


# ---------------------------------------------------------------------- ontologies

#: "odd" is below a term that is not a taxon, which has a real term below it, too.
TERMS = {
    "X:1": ("cell", None),
    "X:2": ("T cell", "X:1"),
    "X:3": ("unclassified cell", "X:1"),
    "X:4": ("odd", "X:3"),
    "X:5": ("strange cell", "X:3"),
    "X:6": ("strange one", "X:5"),
    "X:7": ("strange two", "X:5"),
    "X:8": ("Treg", "X:2"),
    "X:9": ("Th1", "X:2"),
}
OBO = "".join(
    f"[Term]\nid: {x}\nname: {name}\n" + (f"is_a: {above}\n" if above else "") for x, (name, above) in TERMS.items()
)
_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
 xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">"""
OWL = _RDF + "".join(
    f'<owl:Class rdf:about="{x}"><rdfs:label>{name}</rdfs:label>'
    + (f'<rdfs:subClassOf rdf:resource="{above}"/>' if above else "")
    + "</owl:Class>"
    for x, (name, above) in TERMS.items()
)
SKOS = _RDF + "".join(
    f'<skos:Concept rdf:about="{x}"><skos:prefLabel>{name}</skos:prefLabel>'
    + (f'<skos:broader rdf:resource="{above}"/>' if above else "")
    + "</skos:Concept>"
    for x, (name, above) in TERMS.items()
)
GRAPH = {
    "nodes": [{"id": x, "lbl": name, "type": "CLASS"} for x, (name, _) in TERMS.items()],
    "edges": [{"sub": x, "pred": "is_a", "obj": above} for x, (_, above) in TERMS.items() if above],
}
CSV = "id,parent,name\n" + "".join(f"{x},{above or ''},{name}\n" for x, (name, above) in TERMS.items())


@pytest.mark.parametrize(
    "text",
    [OBO, OWL + "</rdf:RDF>", SKOS + "</rdf:RDF>", json.dumps({"graphs": [GRAPH]}), CSV],
    ids=["obo", "owl", "skos", "obograph", "edges"],
)
def test_placeholders__ontologies(text):
    with collected() as notes:
        o = read_ontology(io.StringIO(text))
    assert [x.text for x in notes if x.topic != "reading"] == ["1 placeholder term contracted"]
    assert "X:3" not in o.terms
    assert o.synonyms["X:3"] == "X:1"
    assert o.open_leaves == ["X:4"]
    # the strange cells are together wherever they belong, while Treg and Th1 may not be apart from any odd one
    assert {(a, b, c) for a, b, c in tt.algorithms.all_triplets(o)} == {*(("X:6", "X:7", c) for c in ("X:8", "X:9"))}
    closed = read_ontology(io.StringIO(text), placeholders=False)
    assert tt.count_triplets(closed) == 10
    assert read_ontology(io.StringIO(text), placeholders=["Th1", "strange one"]).open_leaves == ["X:4", "X:6", "X:9"]
    below = read_ontology(io.StringIO(text), root="X:3")
    assert below.roots == ["X:3"]
    assert list(below.leaves) == ["X:4", "X:6", "X:7"]
    if text != CSV:
        h = tt.read_hierarchy(io.StringIO(text), labels="name")
        assert h.open_leaves == ["odd"]
        assert h == read_ontology(io.StringIO(text)).to_hierarchy(labels="name")


def test_placeholders__a_term_with_several_parents():
    o = parse_obo(OBO + "[Term]\nid: X:4\nis_a: X:8\n")
    assert o.parents("X:4") == ["X:1", "X:8"]
    assert o.open_leaves == ["X:4"]
    assert list(tt.algorithms.all_triplets(o)) == []  # each leaf below the strange cells is open by itself


def test_placeholders__a_taxdump_read_as_an_ontology(tmp_path):
    folder = dump(tmp_path, CATS)
    o = read_ontology(folder)
    h = read_taxdump(folder, labels="id")
    assert o.to_hierarchy() == h
    assert o.incertae_sedis is not None
    assert tt.count_triplets(o) == tt.count_triplets(h)
    assert tt.count_triplets(read_ontology(folder, placeholders=False)) > tt.count_triplets(h)
    top = o.roots[0]
    assert read_ontology(folder, root=int(top)) == o


def test_placeholders__lineages_read_as_an_ontology():
    o, h = read_ontology(io.StringIO(QIIME), format="lineages"), read_lineages(io.StringIO(QIIME))
    assert o.open_leaves == h.open_leaves
    assert tt.count_triplets(o) == tt.count_triplets(h)


NAMES = st.lists(
    st.sampled_from([*names_of(FILLERS), *names_of(TAXA), "Felis sp. 7", "uncultured bacterium 3", "Fusarium f. sp. x"])
    | st.text(alphabet="uncSPspX_.é \x00h", min_size=1, max_size=9).map(str.strip).filter(bool),
    max_size=20,
)


@given(NAMES, st.booleans(), st.data())
def test_placeholders__a_dump_by_ids_is_read_as_one_by_names(names, closed, data):
    parents = [0, *(data.draw(st.integers(0, k - 1)) for k in range(1, len(names) + 1))]
    rows = [(k + 1, p + 1, "no rank", x) for k, (p, x) in enumerate(zip(parents, ["root", *names], strict=True))]
    nodes = "".join("\t|\t".join(map(str, x)) + "\t|\n" for x in [(i, p, r) for i, p, r, _ in rows])
    lines = [f"{i}\t|\t{x}\t|\t\t|\tscientific name\t|" for i, _, _, x in rows]
    others = [f"{i}\t|\tuncultured {i}\t|\t\t|\tsynonym\t|" for i, *_ in rows]
    text = "\n".join(lines[:2] + others + lines[2:]) + "\n" * closed
    taxa = taxdump._read_nodes(taxdump.DmpFile(nodes.encode(), "nodes.dmp"))
    files = {"names.dmp": taxdump.DmpFile(text.encode(), "names.dmp")}
    expected = Placeholders().kinds(["root", *names], taxa.parent)
    leaf = ~np.isin(np.arange(taxa.id.size), taxa.parent)
    found = taxdump._kinds(files, taxa, Placeholders())
    # a leaf is open, whether it is a filler or a member
    assert ((found == TAXON) == (expected == TAXON)).all()
    assert (found[~leaf] == expected[~leaf]).all()


@given(NAMES)
def test_placeholders__lines_with_signs(names):
    step, mark = automaton()
    text = "".join(f"{k}\t|\t{x}\t|\t\t|\tscientific name\t|\n" for k, x in enumerate(names)).encode()
    scan = engine.signs.scientific_names_with_signs
    id, start, stop, bits = scan(np.frombuffer(text, np.uint8), step, mark)
    expected = {}
    for k, x in enumerate(names):
        form = b"\0" + x.encode().lower() + b"\0"
        signs = [
            *((NEAR, y) for y in (*placeholders._SIGNS, *placeholders._SURE)),
            *((SURE, y) for y in placeholders._SURE),
            *((NOT_SURE, y) for y in placeholders._NOT_SURE),
        ]
        some = {bit for bit, y in signs if y in form}
        if some:
            expected[k] = sum(some)
    assert dict(zip(id.tolist(), bits.tolist(), strict=True)) == expected
    assert [text[i:j].decode() for i, j in zip(start, stop, strict=True)] == [names[k] for k in expected]


def test_taxdump__many_long_ranks(tmp_path):
    ranks = [*(f"rank {k}" for k in range(100)), "a rank of more letters than ranks in books have", "x", "rank 7"]
    rows = [(1, 1, "no rank", "root"), *((10**9 + k, 1, x, f"taxon {k}") for k, x in enumerate(ranks))]
    assert read_taxdump(dump(tmp_path, rows), labels="id").ranks == (*ranks, None)
    short = [(1, 1, "no rank", "root"), *((k + 2, 1, x, f"taxon {k}") for k, x in enumerate(ranks) if len(x) < 30)]
    assert read_taxdump(dump(tmp_path, short)).ranks == (*(x for x in ranks if len(x) < 30), None)
