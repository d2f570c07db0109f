"""read_lineages on tables: columns of the items, warnings when items may be lost, and tables of edges."""

import io

import pandas as pd
import pytest

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import collected
from tripletree.errors import ParseError
from tripletree.io.edges import read_edges
from tripletree.io.lineages import lineages_ontology, looks_like_lineages, read_lineages


def read(text, **options):
    return read_lineages(io.StringIO(text), **options)


PETS = Hierarchy.from_nested([[["pug", "corgi"]], [["manx"]]])


@pytest.mark.parametrize(
    "text",
    [
        "breed,family,genus\npug,Canidae,Canis\ncorgi,Canidae,Canis\nmanx,Felidae,Felis\n",
        "taxon\tgenus\tfamily\npug\tCanis\tCanidae\ncorgi\tCanis\tCanidae\nmanx\tFelis\tFelidae\n",
        "species_name,weight,family,genus\npug,1,Canidae,Canis\ncorgi,1,Canidae,Canis\nmanx,1,Felidae,Felis\n",
        "breed,taxonomy\npug,Canidae;Canis\ncorgi,Canidae;Canis\nmanx,Felidae;Felis\n",
        "breed\tn\tlineage\npug\t1\tCanidae;Canis\ncorgi\t1\tCanidae;Canis\nmanx\t1\tFelidae;Felis\n",
    ],
)
def test_lineage_columns__the_first_column_holds_the_items(text):
    h = read(text)
    assert h == PETS
    assert list(h.leaves) == ["pug", "corgi", "manx"]
    assert sorted(filter(None, h.names)) == ["Canidae", "Canis", "Felidae", "Felis"]
    assert sorted(lineages_ontology(io.StringIO(text)).leaves) == ["corgi", "manx", "pug"]
    delimiter = "," if "," in text else "\t"
    assert read_lineages(pd.read_csv(io.StringIO(text), sep=delimiter)) == PETS


@pytest.mark.parametrize(
    "first",
    [
        "1,2,3",  # numbers of rows
        "a,,c",  # not all there
        "a,a,c",  # one of them twice
    ],
)
def test_lineage_columns__a_first_column_that_holds_no_items(first):
    cells = zip(first.split(","), "xyz", strict=True)
    h = read("first,family,genus\n" + "".join(f"{cell},A,{genus}\n" for cell, genus in cells))
    assert list(h.leaves) == ["x", "y", "z"]


def test_lineage_columns__a_path_may_end_in_the_word_path():
    assert list(read("A;path\nA;b\n").leaves) == ["path", "b"]
    assert list(read("# made by hand\nA;path\nA;b\n").leaves) == ["path", "b"]
    assert list(read("# pets; and more\nbreed,path\npug,A;b\nmanx,A;c\n").leaves) == ["pug", "manx"]


def test_lineage_columns__ranks_and_usual_names_come_before_the_first():
    assert list(read("breed,id,family,genus\npug,f1,A,x\nmanx,f2,A,y\n").leaves) == ["f1", "f2"]
    frame = pd.DataFrame({"species": ["x", "y"], "family": ["A", "A"], "order": ["O", "P"]})
    assert list(read_lineages(frame, columns=["order", "family"]).leaves) == ["O; A", "P; A"]


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("family,genus,breed\nA,x,pug\nA,x,corgi\nB,y,manx\n", "breed"),
        ("n,family,genus,breed\n1,A,x,pug\n2,A,x,corgi\n3,B,y,manx\n", "breed"),
        ("taxon,place\nA;x,Rome\nA;x,Oslo\nB;y,Bern\n", "place"),
    ],
)
def test_lineage_columns__items_are_not_lost_in_silence(text, lost):
    with pytest.warns(UserWarning, match=rf"rows with only . different paths?: .*, give id_column='{lost}'") as caught:
        read(text)
    assert caught[0].filename == __file__


def test_lineage_columns__nothing_lost_nothing_said():
    text = "family,genus,breed,n\nA,x,pug,1\nA,x,pug,2\nA,y,corgi,3\n"  # warnings are errors here
    assert list(read(text).leaves) == ["x", "y"]
    assert list(read("genus,species,english\nCanis,lupus,wolf\nCanis,latrans,coyote\n").leaves) == [
        "Canis lupus",
        "Canis latrans",
    ]
    assert read("family,genus,breed\nA,x,pug\nA,x,corgi\n", id_column="breed").n_leaves == 2


# ---------------------------------------------------------------------- edges

EDGES = [
    (["taxon", "belongs_to", "weight"], [["pug", "dog", "1"], ["dog", "pet", "1"]], ("taxon", "belongs_to")),
    (["taxon", "up"], [["pug", "dog"], ["corgi", "dog"]], ("taxon", "up")),
    (["Classification", "n"], [["pug", "1"], ["dog", "2"]], ("Classification", None)),
    (["id", "taxonomy"], [["pug", "dog"], ["dog", "pet"]], ("id", "taxonomy")),
    (["class", "superclass"], [["Dog", "Pet"], ["Pet", "Thing"]], ("class", "superclass")),
    (["class", "subclass"], [["Thing", "Pet"], ["Pet", "Dog"]], ("subclass", "class")),
    (["subclass", "class", "note"], [["Dog", "Pet", "a"], ["Pet", "Thing", "b"]], ("subclass", "class")),
]


@pytest.mark.parametrize(("names", "rows", "pair"), EDGES)
def test_lineage_columns__edges_are_told(names, rows, pair):
    assert not looks_like_lineages(names, rows)
    child, parent = pair
    hint = rf"edges, no lineages: .*child_column='{child}', parent_column={repr(parent) if parent else '...'}\)"
    text = "".join(",".join(row) + "\n" for row in [names, *rows])
    for source in (io.StringIO(text), pd.DataFrame(rows, columns=names)):
        with pytest.raises(ParseError, match=hint):
            read_lineages(source)
    if parent:
        assert read_edges(io.StringIO(text), child_column=child, parent_column=parent).n_leaves
    with pytest.raises(ParseError, match="edges, no lineages"):
        lineages_ontology(io.StringIO(text))


LINEAGES = [
    (["Feature ID", "Taxon"], [["a", "k__B; p__C"], ["b", ""], ["c", "k__B"]]),
    (["Feature ID", "Taxon"], [["a", "Dogs"], ["b", "Cats"]]),
    (["clade_name", "n"], [["k__B", "1"], ["k__A", "2"]]),
    (["genus", "subgenus"], [["Bombus", "Bombus"], ["Bombus", "Megabombus"]]),
    (["superclass", "class"], [["Tetrapoda", "Aves"], ["Tetrapoda", "Mammalia"]]),
    (["class", "family", "genus"], [["A", "B", "C"], ["B", "C", "A"]]),
    (["id", "class", "subclass"], [["i1", "A", "B"], ["i2", "B", "C"]]),
]


@pytest.mark.filterwarnings("ignore:1 item without a taxon")
@pytest.mark.parametrize(("names", "rows"), LINEAGES)
def test_lineage_columns__lineages_are_no_edges(names, rows):
    assert looks_like_lineages(names, rows)
    assert read("".join("\t".join(row) + "\n" for row in [names, *rows])).n_leaves == 2


def test_lineage_columns__rows_that_are_cut_short_or_absent():
    assert looks_like_lineages(["family", "genus"], [])
    assert looks_like_lineages(["family", "genus"], [["A"], []])
    assert not looks_like_lineages(["child", "parent"], [["a", "b"]])


def test_lineage_columns__what_looks_like_edges_can_be_read():
    assert read("class,subclass\nA,B\nB,C\n", columns=["class", "subclass"]).n_leaves == 2
    assert read("taxon,n\npug,1\nmanx,2\n", columns=["taxon"]) == Hierarchy.from_nested(["pug", "manx"])
    assert read("taxon,n\na.b,1\na.c,2\n", sep=".").names == ("a",)


# ---------------------------------------------------------------------- an item without a taxon


@pytest.mark.parametrize("first", ["a1\tk__B; p__P; c__X\n", "a1\tk__B\n", "a1\tB; P\n"])
def test_lineage_columns__an_item_without_a_taxon(first):
    for header in ("", "Feature ID\tTaxon\n"):
        with pytest.warns(UserWarning, match="1 item without a taxon is left out: 'a2'"):
            h = read(f"{header}{first}a2\t\n")
        assert list(h.leaves) == ["a1"]


MERGED = [
    ("family,genus,species\nRosaceae,Rosa,canina\n,,gallica\n,Malus,pumila\nFagaceae,Quercus,robur\n,,alba\n", 0),
    (
        "order;family;genus;species\nRosales;Rosaceae;Rosa;canina\n;;;gallica\n;;Malus;pumila\nFagales;;;robur\n;;;alba\n",
        0,
    ),
    ("id\tfamily\tgenus\np1\tRosaceae\tRosa\np2\t\t\np3\t\tMalus\np4\tFagaceae\tQuercus\np5\t\t\n", 1),
    ("genus,species\nRosa,canina\n,gallica\nQuercus,robur\n,alba\n", 0),
    ("phylum,family,genus\nP,Rosaceae,Rosa\nP,,Malus\nP,Fagaceae,Quercus\nP,,Fagus\n", 0),
]
WHOLE = [
    "family,genus,species\nRosaceae,Rosa,canina\nRosaceae,Rosa,gallica\nRosaceae,Malus,pumila\nFagaceae,Quercus,robur\n"
    "Fagaceae,Quercus,alba\n",
    "order;family;genus;species\nRosales;Rosaceae;Rosa;canina\nRosales;Rosaceae;Rosa;gallica\nRosales;Rosaceae;Malus;pumila\n"
    "Fagales;;;robur\nFagales;;;alba\n",
    "id\tfamily\tgenus\np1\tRosaceae\tRosa\np2\tRosaceae\tRosa\np3\tRosaceae\tMalus\np4\tFagaceae\tQuercus\n"
    "p5\tFagaceae\tQuercus\n",
    "genus,species\nRosa,canina\nRosa,gallica\nQuercus,robur\nQuercus,alba\n",
    "phylum,family,genus\nP,Rosaceae,Rosa\nP,Rosaceae,Malus\nP,Fagaceae,Quercus\nP,Fagaceae,Fagus\n",
]


@pytest.mark.parametrize(("text", "whole"), [(x, y) for (x, _), y in zip(MERGED, WHOLE, strict=True)])
def test_lineage_columns__merged_cells_are_asked_about(text, whole):
    with pytest.raises(ParseError, match=r"line 3: .* is empty before names .* merged cells, .*fill=True.*fill=False"):
        read(text)
    assert read(text, fill=True) == read(whole)
    assert lineages_ontology(io.StringIO(text), fill=True) == lineages_ontology(io.StringIO(whole))
    sep = next(x for x in ",;\t" if x in text)
    assert read_lineages(pd.read_csv(io.StringIO(text), sep=sep), fill=True) == read(whole)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE[0],
        "family,genus,species\nRosaceae,Rosa,canina\nRosaceae,Rosa,gallica\n,Malus,pumila\n",  # a name stands twice
        "family,genus,species\n,Malus,pumila\nRosaceae,Rosa,canina\n",  # nothing is above
        "family,genus,species\nRosaceae,Rosa,canina\nFagaceae,,robur\n",  # a gap on the way
        "order,family,genus\nRosales,Rosaceae,Rosa\nRosales,,Malus\nFagales,,Quercus\n",  # others before
        "order,family,genus\nRosales,Rosaceae,Rosa\nRosales,,Malus\nFagales,Fagaceae,Quercus\n",  # one alone
        "family,genus,species\nRosaceae,Rosa,canina\nFagaceae,Quercus,\n",
    ],
)
def test_lineage_columns__other_gaps_are_not_known(text):
    assert read(text) == read(text, fill=False)


def test_lineage_columns__the_bar_of_not_available_parts_no_path():
    with pytest.raises(ParseError, match="no separator of paths found .* or columns="):
        read("plot,place\np1,A\np2,n/a\np3,N/A\n", sep="auto")
    assert sorted(read("a/b\na/c\nn/a\n").leaves) == ["a", "b", "c"]


SWAPPED = """taxon,phylum,order,class,genus
pug,Chordata,Mammals,Carnivora,Canis
manx,Chordata,Mammals,Carnivora,Felis
hare,Chordata,Mammals,Lagomorpha,Lepus
hen,Chordata,Birds,Galliformes,Gallus
"""


def test_lineage_columns__ranks_under_exchanged_names_are_asked_about():
    """They were read by their ranks: the mammals stood in two places, and the pug and the manx apart from the hare."""
    with pytest.raises(ParseError, match="line 1: the columns stand in another order than ranks do") as info:
        read(SWAPPED)
    orders = [x.split("]")[0].replace("'", "").split(", ") for x in str(info.value).split("columns=[")[1:]]
    as_written, by_rank = (read(SWAPPED, columns=x) for x in orders)
    assert as_written.clade(as_written.n_leaves + as_written.names.index("Mammals")) == ["pug", "manx", "hare"]
    assert by_rank.names.count("Mammals") == 2


@pytest.mark.parametrize("columns", ["phylum,class,order,genus", "genus,order,class,phylum"])
def test_lineage_columns__ranks_in_any_order_whose_names_have_one_above_are_read(columns):
    h = read(SWAPPED.replace("phylum,order,class,genus", "phylum,class,order,genus"))
    rows = pd.read_csv(io.StringIO(SWAPPED.replace("phylum,order,class,genus", "phylum,class,order,genus")))
    assert read_lineages(rows[["taxon", *columns.split(",")]]) == h


def test_edges__parents_below_a_root_without_a_row_find_the_column_of_children():
    """The column called category was taken for the children of numbers."""
    text = "category_id,category,parent\n1,food,0\n2,bread,1\n3,cheese,1\n4,toys,0\n"
    assert sorted(read_edges(io.StringIO(text)).leaves) == ["2", "3", "4"]


def test_edges__verbs_are_no_relation_of_a_child_to_its_parent():
    with pytest.raises(ParseError, match="does 'eats', 'founded' in 'Verb' say that one is below the other"):
        read_edges(io.StringIO("Subject,Verb,Object\ncat,eats,mouse\nAnn,founded,firm\n"))


def test_edges__the_line_says_which_column_is_below_by_its_relation():
    with collected() as told:
        h = read_edges(io.StringIO("source,target,type\ncat,mammal,is_a\ndog,mammal,is_a\ncat,milk,likes\n"))
    assert sorted(h.leaves) == ["cat", "dog"]
    assert "read 3 rows: 'source' below 'target'" in [x.text for x in told]
