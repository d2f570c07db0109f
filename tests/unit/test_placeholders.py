"""Placeholders: names that are no taxa assert no triplets, in all formats, and the option that extends them."""

import io
import itertools

import numpy as np
import pytest

import tripletree as tt
from tripletree.core.notes import collected
from tripletree.core.placeholders import FILLER, MEMBER, TAXON, Placeholders
from tripletree.io import read_edges, read_lineages, read_taxdump

FILLERS = """uncultured|g__uncultured|uncultured bacterium|s__uncultured_bacterium|Unassigned|Ambiguous_taxa
D_5__uncultured|Incertae_Sedis|Unknown Family|environmental samples|environmental samples <Bacteria>
Fungi_cls_Incertae_sedis|Firmicutes_unclassified|unclassified Felidae|human gut metagenome|Quercus sp.|s__Quercus_sp
no rank|g__norank_f__Lachno|g__|__|Unidentified|Felidae environmental sample|Gyrista_XXX_sp.
Felidae indet.|Quercus spp."""
TAXA = """Quercus robur|Unio|Uncinula necator|Fusarium oxysporum f. sp. cubense|WRAA01 sp1|s__Bog-38 sp002|Bacillota_A
Xenopus|Quercus robur subsp. x|Assignia|Sedisa|Franka|Spp1|Pseudomonas_X"""


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
    for given in ("Other,No name", ["Other", "no_name"]):
        more = Placeholders.of(given)
        assert [more.kind(x) for x in ("g__other", "No  name", "uncultured", "Others")] == [
            FILLER,
            FILLER,
            FILLER,
            TAXON,
        ]
        assert more.kinds(["other"], np.array([-1])).tolist() == [FILLER]
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
    assert [x.topic for x in notes] == ["placeholders"]
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
    assert notes[0].text == "1 placeholder node contracted"
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
