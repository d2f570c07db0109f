"""read_lineages and write_lineages: the styles of paths, tables of ranks, labels, and refusals with their places."""

import csv
import io
import re

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import hierarchies

import tripletree as tt
from tripletree.algorithms.names import match_names
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import collected
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, LimitExceededError, ParseError, TripletreeError
from tripletree.io import lineages as _paths
from tripletree.io.lineages import lineages_ontology, read_lineages, write_lineages


def read(text, **options):
    return read_lineages(io.StringIO(text, newline=""), **options)


def clades(h):
    """Every node as (name, its leaves)."""
    return sorted((str(h.label(u)), sorted(map(str, h.clade(u)))) for u in range(h.n_nodes))


GOOGLE = """# Google_Product_Taxonomy_Version: 2021-09-21
1 - Animals & Pet Supplies
3237 - Animals & Pet Supplies > Live Animals
2 - Animals & Pet Supplies > Pet Supplies
3 - Animals & Pet Supplies > Pet Supplies > Bird Supplies
7385 - Animals & Pet Supplies > Pet Supplies > Bird Supplies > Bird Cage Accessories
166 - Apparel & Accessories
1604 - Apparel & Accessories > Clothing
"""


@pytest.mark.parametrize(
    ("header", "ids"),
    [
        ("id\tbreadcrumb", "pqr"),
        ("SeqID\tSILVA taxonomy", "pqr"),
        ("sku\tcategory", "pqr"),
        ("ASV\ttax", "pqr"),
        ("id\tgoogle_product_category", "pqr"),
        ("who\tgenre", ("p1", "p2", "p3")),
        ("thing\tTaxonomy", "pqr"),
    ],
)
@pytest.mark.parametrize("sep", [" > ", "; ", "|", "/"])
def test_lineages__a_header_of_unknown_words_is_no_item(header, ids, sep):
    rows = [f"{x}\t{y.replace(' ', sep)}" for x, y in zip(ids, ("A K", "A K", "B C"), strict=True)]
    with collected() as notes:
        h = read_lineages(io.StringIO("\n".join([header, *rows])))
    assert list(h.leaves) == list(ids)
    told = [x.text for x in notes if x.topic in ("header", "reading")]
    name, cell = header.split("\t")
    assert any(repr(name) in x and repr(cell) in x for x in told)


@pytest.mark.parametrize(
    ("first", "told"),
    [("o1\tA", 0), ("id\tA", 0), ("id\tk__Z", 0), ("o0\tArchaea", 1), ("felis\tcats", 1), ("id\tA; Q", 0)],
)
def test_lineages__a_first_item_of_one_name_is_an_item(first, told):
    with collected() as notes:
        h = read_lineages(io.StringIO(f"{first}\np\tA; K\nq\tA; K\nr2\tB; C\n"))
    assert list(h.leaves) == [first.split("\t")[0], "p", "q", "r2"]
    assert [x.text.endswith("is taken for an item: delete it if it is one") for x in notes if x.topic == "header"] == [
        True
    ] * told


def test_lineages__google():
    want = Hierarchy.from_nested([["Live Animals", [["Bird Cage Accessories"]]], ["Clothing"]])
    h = read(GOOGLE)
    assert h == want
    assert set(h.names) == {"Bird Supplies", "Pet Supplies", "Animals & Pet Supplies", "Apparel & Accessories", None}
    bare = "\n".join(line.split(" - ", 1)[-1] for line in GOOGLE.splitlines())
    assert read(bare) == want
    by_number = read(GOOGLE, labels="id")
    assert list(by_number.leaves) == ["3237", "7385", "1604"]
    assert set(by_number.names) == {"3", "2", "1", "166", None}
    assert read(GOOGLE, labels="path").leaves[2] == "Apparel & Accessories > Clothing"
    with pytest.raises(ParseError, match="there are no ids in it"):
        read(bare, labels="id")


def test_lineages__numbers_that_stand_twice():
    with pytest.raises(ParseError, match="line 9: the number 3 stands twice: it is on line 5 already"):
        read(GOOGLE + "3 - Toys > Games\n")
    with pytest.raises(ParseError, match="line 9: this path has another number already, 3237"):
        read(GOOGLE + "9 - Animals & Pet Supplies > Live Animals\n")
    with pytest.raises(ParseError, match="line 9: no name behind the number 9"):
        read(GOOGLE + "9 - >\n")


GREENGENES = [
    ("f1", "k__Bacteria; p__Firmicutes; c__Bacilli; o__; f__; g__; s__"),
    ("f2", "k__Bacteria; p__Firmicutes; c__Bacilli; o__Lactobacillales; f__; g__Weissella; s__"),
    ("f3", "k__Bacteria; p__Firmicutes"),
    ("f4", "Unassigned"),
    ("f5", "k__Archaea"),
]
WANTED = [
    ("None", ["f1", "f2", "f3", "f5"]),
    *((f"f{k}", [f"f{k}"]) for k in (1, 2, 3, 5)),
    ("c__Bacilli", ["f1", "f2"]),
    ("g__Weissella", ["f2"]),
    ("k__Archaea", ["f5"]),
    ("k__Bacteria", ["f1", "f2", "f3"]),
    ("o__Lactobacillales", ["f2"]),
    ("p__Firmicutes", ["f1", "f2", "f3"]),
]


@pytest.mark.parametrize("header", ["", "Feature ID\tTaxon\tConfidence\n", "#OTU ID\ttaxonomy\tn\n"])
@pytest.mark.parametrize("more", ["", "\t0.99"])
def test_lineages__qiime_tables(header, more):
    header = header if more else "\t".join(header.split("\t")[:2]) + "\n" * (header != "")
    with pytest.warns(UserWarning, match="1 item without a taxon is left out: 'f4'"):
        h = read(header + "".join(f"{id}\t{path}{more}\n" for id, path in GREENGENES))
    assert clades(h) == sorted(WANTED)
    assert list(h.leaves) == ["f1", "f2", "f3", "f5"]
    rank = {h.label(u): h.ranks[u] for u in range(h.n_nodes)}
    assert (rank["g__Weissella"], rank["k__Archaea"], rank["f1"], rank[None]) == ("genus", "kingdom", None, None)


@pytest.mark.filterwarnings("ignore:1 item without a taxon")
def test_lineages__qiime2_types_and_csv():
    text = "Feature ID\tTaxon\n#q2:types\tcategorical\n" + "".join(f"{i}\t{x}\n" for i, x in GREENGENES)
    h = read(text)
    assert clades(h) == sorted(WANTED)
    quoted = io.StringIO()
    csv.writer(quoted).writerows([("FeatureID", "n", "Taxon"), *((i, 1, x) for i, x in GREENGENES)])
    assert clades(read(quoted.getvalue())) == sorted(WANTED)


def test_lineages__silva():
    text = "AB1.1.1400\tBacteria;Firmicutes;uncultured;\nAB2.1.1400\tBacteria;Firmicutes;uncultured;Bacillus;\n"
    assert clades(read(text, placeholders=False))[-1] == ("uncultured", ["AB1.1.1400", "AB2.1.1400"])
    h = read(text)
    assert (h.names, h.open_leaves) == (("Bacillus", "Firmicutes", "Bacteria"), ["AB1.1.1400"])
    h = read("a\tD_0__Bacteria;D_1__Firmicutes;D_5__Bacillus;D_9__x\nb\tD_0__Bacteria\n")
    assert set(h.ranks) == {None, "domain", "phylum", "genus"}


def test_lineages__metaphlan():
    text = """#mpa_v30_CHOCOPhlAn_201901
#clade_name\tNCBI_tax_id\trelative_abundance
UNCLASSIFIED\t-1\t10.0
k__Bacteria\t2\t90.0
k__Bacteria|p__Firmicutes\t2|1239\t60.0
k__Bacteria|p__Proteobacteria\t2|1224\t30.0
"""
    want = Hierarchy.from_nested(["p__Firmicutes", "p__Proteobacteria"])
    assert read(text) == want
    assert read(text.replace("#clade_name\tNCBI_tax_id\trelative_abundance\n", "")) == want


def test_lineages__slashes_and_a_separator_of_ones_own():
    assert read("/usr/lib\n/usr/lib/python\n/usr/bin\n/etc\n").names == ("lib", "usr", None)
    assert read("a :: b\na :: c\n", sep="::") == read("a/b\na/c\n")
    assert read("a\nb\n", sep=";") == Hierarchy.from_nested(["a", "b"])
    with pytest.raises(ParseError, match="no separator of paths found .*: give sep"):
        read("a\nb\n")


def test_lineages__which_separator():
    # the semicolon of one category does not count, nor do bars in ids
    assert read("Food > Bread; rolls\nFood > Cheese\nFood > Eggs\n").leaves[0] == "Bread; rolls"
    h = read("gi|1|x\tBacteria;Firmicutes\ngi|2|x\tBacteria\n")
    assert (list(h.leaves), h.names) == (["gi|1|x", "gi|2|x"], ("Firmicutes", "Bacteria"))


# ---------------------------------------------------------------------- the path decides


def test_lineages__one_name_in_two_places():
    h = read("A > x\nB > x\nB > y\nB > x\n")
    assert clades(h) == [
        ("A", ["A > x"]),
        ("A > x", ["A > x"]),
        ("B", ["B > x", "y"]),
        ("B > x", ["B > x"]),
        ("None", ["A > x", "B > x", "y"]),
        ("y", ["y"]),
    ]
    frame = pd.DataFrame({"kingdom": ["A", "B", "A; x"], "phylum": ["x", "x", None]})
    with pytest.raises(DuplicateLeafError, match="among the names, paths and ids: 'A; x'"):
        read_lineages(frame)


def test_lineages__inner_paths_and_repeats():
    once = read("A;b;c\nA;b;d\n")
    assert read("A;b;c\nA\nA;b\nA;b;d\nA;b;c\n") == once
    assert read("A;b;c\r\n\r\nA;b;d") == once
    assert once.names == ("b", "A")
    assert read("only; one; path\n").n_nodes == 3


def test_lineages__words_for_a_missing_name():
    text = "A; f__unclassified; g__x\nA; NA; y\nA; Unknown\nB; c\n"
    assert clades(read(text))[0] == ("A", ["g__x", "y"])
    assert clades(read(text, missing=()))[0] == ("A", ["Unknown", "g__x", "y"])
    assert read(text, missing=["c", "a"], placeholders=False).names == ("f__unclassified", "NA", None)
    assert read(text, missing="c").names == read(text, missing=["c"]).names


def test_lineages__lines_that_cannot_be():
    with pytest.raises(ParseError, match="line 3: the id 'f1' stands twice: it is in line 1 already"):
        read("f1\tA;b\nf2\tA;c\nf1\tA;d\n")
    with pytest.raises(ParseError, match="line 2: no path in this line.*'f2'"):
        read("f1\tA;b\nf2\n")
    with pytest.raises(ParseError, match="line 2: no id in this row"):
        read("f1\tA;b\n\tA;c\n")
    with pytest.raises(ParseError, match="no names in it"):
        read(";;\n__;\n")
    for text in ("", "\n", "# A;b\n"):
        with pytest.raises(ParseError, match="no lines in it"):
            read(text)


def test_lineages__arguments_are_checked():
    for options in ({"sep": ""}, {"columns": ""}, {"columns": []}, {"labels": "tip"}):
        with pytest.raises(ValueError, match="sep must|columns must|labels must be .*, not 'tip'"):
            read("A;b\n", **options)


def test_lineages__paths_too_long_together(monkeypatch):
    monkeypatch.setattr(_paths, "MOST_PATH_TEXT", 1000)
    text = "/".join("a" * 100) + "\n"
    assert read(text).n_nodes == 100
    with pytest.raises(LimitExceededError, match="the paths of 100 nodes have 10000 characters"):
        read(text, labels="path")


# ---------------------------------------------------------------------- a column for each rank

TAXA = [("Mammalia", "Canidae", "Canis", "lupus"), ("Mammalia", "Canidae", "Vulpes", "vulpes")]
TAXA += [("Mammalia", "Felidae", None, "lupus"), ("Aves", None, None, None), ("Mammalia", "Canidae", "Canis", "lupus")]
RANKS = ("Class", "Family", "Genus", "Species")


def rank_table(order=(3, 0, 1, 2)):
    return pd.DataFrame(TAXA, columns=RANKS).iloc[:, list(order)]


def test_lineages__columns_of_ranks():
    h = read_lineages(rank_table())
    assert set(h.leaves) == {"Canis lupus", "Vulpes vulpes", "lupus", "Aves"}
    assert h.ranks[h.leaves.index("Aves")] == "class"
    assert sorted(filter(None, h.names)) == ["Canidae", "Canis", "Felidae", "Mammalia", "Vulpes"]
    for source in (
        io.StringIO(rank_table().to_csv(index=False)),
        io.StringIO(rank_table().to_csv(index=False, sep=";")),
        io.StringIO(rank_table().to_csv(index=False, sep="\t", na_rep="NA")),
        pl.DataFrame(TAXA, schema=RANKS, orient="row"),
    ):
        again = read_lineages(source)
        assert (again, again.ranks) == (h, h.ranks)


def test_lineages__rank_columns_with_items(tmp_path):
    table = rank_table().assign(id=[1, 2, 3, 4, 5])
    h = read_lineages(table)
    assert list(h.leaves) == [1, 2, 3, 4, 5]
    assert ("Vulpes vulpes", ["2"]) in clades(h)
    table.to_parquet(tmp_path / "t.parquet")
    assert read_lineages(tmp_path / "t.parquet") == h
    few = read_lineages(table, columns=["Class", "Family"], id_column="id")
    assert few == Hierarchy.from_nested([[[1, 2, 5], [3]], [4]])
    with pytest.raises(ParseError, match="row 5: the id 4 stands twice: it is in row 4 already"):
        read_lineages(table.assign(id=[1, 2, 3, 4, 4]))
    with pytest.raises(ParseError, match="row 3: no id in this row"):
        read_lineages(table.assign(id=[1, 2, None, 4, 4]))


def test_lineages__columns_that_cannot_be_told():
    with pytest.raises(ParseError, match=r"which columns hold the path\? .* there are 'a', 'b'"):
        read_lineages(pd.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(ParseError, match="column 'tribe' is not a column of this table"):
        read_lineages(rank_table(), columns=["Family", "tribe"])
    with pytest.raises(ParseError, match="line 3: 1 cell where the header has 2"):
        read("order,genus\nA,b\nC\n")
    assert read("x,y\nA,b\nA,c\n", columns=["x", "y"]) == Hierarchy.from_nested(["b", "c"])


# ---------------------------------------------------------------------- writing


@pytest.mark.filterwarnings("ignore:1 item without a taxon")
def test_lineages__written_as_a_table():
    h = read("".join(f"{id}\t{path}\n" for id, path in GREENGENES))
    out = write_lineages(h, layout="table")
    assert out.splitlines()[:2] == ["Feature ID\tTaxon", "f1\tk__Bacteria; p__Firmicutes; c__Bacilli"]
    again = read(out)
    assert clades(again) == clades(h)
    assert again.ranks == h.ranks


def test_lineages__files(tmp_path):
    h = read("A;b\nA;c\nd\n")
    assert write_lineages(h, tmp_path / "t.txt.gz") is None
    assert read_lineages(tmp_path / "t.txt.gz") == h


@given(hierarchies(unary=True), st.data(), st.sampled_from(["paths", "table"]))
def test_lineages__written_and_read_back(h, data, layout):
    n, N = h.n_leaves, h.n_nodes
    some = st.text(st.sampled_from("ab\"'#_ 1-,;") | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
    leaves = data.draw(st.lists(some, min_size=n, max_size=n, unique=True))
    names = data.draw(st.lists(some, min_size=N - n, max_size=N - n))
    h = Hierarchy(h.parent, leaves, names=names)
    try:
        out = write_lineages(h, sep=" > ", layout=layout)
    except InvalidHierarchyError:
        return
    assume(layout == "paths" or n > 1)
    again = read(out, sep=">", missing=(), labels="name", placeholders=False)
    if layout == "table":  # which holds items and their taxa: an item among taxa may belong to one of these
        among = [u for u in range(n) if (h.children(int(h.parent[u])) >= n).any()]
        h = Hierarchy(h.parent, leaves, names=names, incertae_sedis=among)
    assert again == h
    assert clades(again) == clades(h)


@pytest.mark.parametrize(
    ("h", "message"),
    [
        (Hierarchy.from_nested([["a", "b"], "c"]), "inner node 3 has no name"),
        (Hierarchy([1, 2, -1], ["a"], names=["x", None]), "the root, which has one child, has no name"),
        (Hierarchy([2, 2, -1], ["a;b", "c"]), "has the separator ';' in it: take another sep"),
        (Hierarchy([2, 2, -1], ["a\tb", "c"]), "cannot stand in a path"),
        (Hierarchy([2, 2, -1], [" a", "c"]), "cannot stand in a path"),
        (Hierarchy([2, 2, -1], ["g__", "c"]), "cannot stand in a path"),
        (Hierarchy([2, 3, 4, 4, -1], ["a", "b"], names=["x", "x", None]), "are both called 'x', under one node"),
        (Hierarchy([2, 2, -1], ["#a", "c"]), "reads as a comment, a header or a number; take layout='table'"),
        (Hierarchy([2, 2, -1], ["1 - a", "c"]), "reads as a comment, a header or a number"),
        (Hierarchy([2, 2, -1], ["Taxon", "c"]), "reads as a comment, a header or a number"),
    ],
)
def test_lineages__what_cannot_be_written(h, message):
    with pytest.raises(InvalidHierarchyError, match=message):
        write_lineages(h)


def test_lineages__writing_checks_its_arguments():
    h = read("A;b\nA;c\n")
    for sep in ("", " ", "\n", 5):
        with pytest.raises(ValueError, match="sep must be"):
            write_lineages(h, sep=sep)
    with pytest.raises(ValueError, match="layout must be .*, not 'x'"):
        write_lineages(h, layout="x")
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        write_lineages("A;b")


# ---------------------------------------------------------------------- any paths, any text


def literal(paths):
    """The clades of bare paths by definition: every prefix is a node, its leaves are the longest paths through it."""
    prefixes = {tuple(p[: k + 1]) for p in paths for k in range(len(p))}
    leaves = {p for p in prefixes if not any(q[: len(p)] == p and q != p for q in prefixes)}
    return sorted(("/".join(p), sorted("/".join(x) for x in leaves if x[: len(p)] == p)) for p in prefixes)


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), min_size=1, max_size=12))
def test_lineages__any_paths(paths):
    h = read("".join("/".join(p) + "\n" for p in paths), sep="/", labels="path")
    assert [x for x in clades(h) if x[0] != "None"] == literal(paths)
    named = read("".join("/".join(p) + "\n" for p in paths), sep="/")
    assert named.n_nodes == h.n_nodes
    for label, path in zip(named.leaves, h.leaves, strict=True):
        last = [x.rsplit("/", 1)[-1] for x in h.leaves]
        assert label == (path if last.count(path[-1]) > 1 else path[-1])


@given(st.text(st.sampled_from('ab;>|/\t\n\r"# 1-_,') | st.characters(), max_size=60), st.booleans())
def test_lineages__any_text_is_read_or_refused(content, header):
    try:
        h = read(("Feature ID\tTaxon\n" if header else "") + content)
    except TripletreeError:
        return
    assert h.n_leaves >= 1


def test_lineages__a_long_path():
    n = 100_000
    h = read("/".join(map(str, range(n))) + "\n")
    assert (h.n_nodes, list(h.leaves)) == (n, [str(n - 1)])


def test_lineages__as_an_ontology():
    ontology = lineages_ontology(io.StringIO("A > x\nB > x\nB > y\n"))
    assert set(ontology.terms) == {"A", "A > x", "B", "B > x", "B > y"}
    assert ontology.to_hierarchy() == read("A > x\nB > x\nB > y\n", labels="path")
    assert list(lineages_ontology(io.StringIO(GOOGLE)).leaves) == ["3237", "7385", "1604"]


@pytest.mark.shared
def test_lineages__carnivora(shared):
    h = read_lineages(shared / "hierarchies" / "carnivora" / "carnivora.csv")
    assert (h.n_leaves, int(h.depth.max())) == (112, 4)
    assert h.names[-1] == "Carnivora"
    assert h.ranks[-1] == "order"
    dogs = h.common_ancestor(["Canis lupus", "Vulpes vulpes"])
    assert (h.label(dogs), h.ranks[dogs]) == ("Canidae", "family")


@pytest.mark.parametrize(
    "text",
    [
        "a\tB(100);F(98);G(71);\nb\tB(100);F(91);G(80);\nc\tB(99);F(90);H(60);\nd\tB(97);P(88);K(70);\n",
        "a\tB [99.5%]; F [98%]; G [7%]\nb\tB [9%]; F [91.2%]; G [8%]\n"  # as IDTAXA writes them
        "c\tB [9%]; F [9%]; H [6%]\nd\tB [9%]; P [8%]; K [7%]\n",
        "id,phylum,class,genus\na,B(100),F(98),G(71)\nb,B(100),F(91),G(80)\nc,B(99),F(90),H(60)\nd,B(97),P(88),K(70)\n",
    ],
)
def test_lineages__confidences_are_no_part_of_names(text):
    assert clades(read(text)) == clades(read(re.sub(r" ?[(\[][\d.]+%?[)\]]", "", text)))
    assert "F" in (read(text).names or ())


def test_lineages__a_number_in_brackets_behind_a_few_names_belongs_to_them():
    assert read("a\tB;Group (1)\nb\tB;Group (1)\nc\tB;Group (2)\nd\tB;Group (2)\ne\tC;D\n").n_nodes == 11


def test_lineages__a_line_that_is_not_as_the_classifier_wrote_the_others():
    line = "s{0}\td:B(1.0),p:F(0.9)\t+\td:B\n"
    text = "".join(map(line.format, range(60))) + "s60\tB; F\n"
    with pytest.raises(ParseError, match="line 61: name, rank and confidence in turn"):
        read_lineages(io.StringIO(text))
    assert len(read_lineages(io.StringIO(text[: text.index("s60")])).leaves) == 60


def test_an_item_called_as_its_species_is_the_species():
    text = "id,family,genus,species\nQ robur,Fagaceae,Quercus,Q robur\nQ rubra,Fagaceae,Quercus,Q rubra\n"
    h = read_lineages(io.StringIO(text + "x7,Poaceae,Zea,Z mays\n"))
    assert list(h.leaves) == ["Q robur", "Q rubra", "x7"]
    assert h.names is not None
    assert not {"Q robur", "Q rubra"} & set(h.names)
    assert "Z mays" in h.names
    assert h.ranks is not None
    assert h.ranks[:3] == ("species", "species", None)
    assert match_names(["q. ROBUR", "Q robur"], h).kinds[1] == "exact"


def test_columns__one_column_of_paths_as_a_text():
    text = "product,category\np1,A > K > X\np2,A > K > Y\np3,B > C\n"
    one, several = (
        read_lineages(io.StringIO(text), columns=x, id_column="product") for x in ("category", ["category"])
    )
    assert one == several
    assert list(one.leaves) == ["p1", "p2", "p3"]
    assert one.n_nodes > 5


@pytest.mark.parametrize("form", ["{}_name", "taxon_{}_name", "{} name"])
def test_rank_columns__of_names_of_ranks(form):
    head = ",".join(["processid", *(form.format(x) for x in ("family", "genus", "species"))])
    rows = "B1,Canidae,Canis,Canis lupus\nB2,Canidae,Canis,Canis latrans\nB3,Canidae,Vulpes,Vulpes vulpes\n"
    h = read_lineages(io.StringIO(f"{head}\n{rows}"))
    assert list(h.leaves) == ["B1", "B2", "B3"]
    assert [x for x in h.ranks or () if x] == ["species"] * 3 + ["genus"] * 2 + ["family"]
    both = read_lineages(io.StringIO("id,genus,genus_name,family\nx,G,H,F\n"), columns=["family", "genus"])
    assert list(both.leaves) == ["x"]


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("Region > Land > Stadt", True),
        ("Werkzeug;Hand;Feile", False),  # its top stands below
        ("Kategorie;Produkt", False),  # not as deep
        ("k__Tiere;p__Wirbel;s__Maus", False),
        ("Garten;Rasen;Mäher 3", False),
    ],
)
def test_read_lineages__a_first_path_that_may_be_a_header_is_told(first, told):
    sep = ">" if ">" in first else ";"
    rows = ["Werkzeug;Hand;Hammer", "Werkzeug;Hand;Zange", "Werkzeug;Elektro;Bohrer", "Möbel;Tisch;Esstisch"]
    text = "\n".join([first, *(row.replace(";", sep) for row in rows)]) + "\n"
    with collected() as notes:
        found = read(text)
    said = [x.text for x in notes if x.topic == "header"]
    assert len(said) == told
    assert all(first.replace(" ", "") in x and x.endswith("is taken for a path: delete it if it is one") for x in said)
    assert found.n_leaves == 5


PATHS = "Werkzeug;Hand;Hammer\nWerkzeug;Hand;Zange\nWerkzeug;Elektro;Bohrer\nMöbel;Tisch;Esstisch\n"


def test_read_lineages__a_header_of_known_words_is_a_header():
    with collected() as notes:
        found = read("Kategorie;Unterkategorie;Produkt\n" + PATHS)
    assert set(found.leaves) == {"Hammer", "Zange", "Bohrer", "Esstisch"}
    assert [x.text for x in notes if x.topic == "reading"] == [
        "read 4 rows: 'Kategorie' above 'Unterkategorie' above 'Produkt'"
    ]


def test_read_lineages__a_first_row_that_may_be_a_header_is_asked_about():
    text = "Garten;Rasen;Mäher\n" + PATHS
    with pytest.raises(ParseError, match=r"line 1: the first row, 'Garten;Rasen;Mäher', may be a header\. ") as caught:
        read(text)
    calls = re.findall(r"read_lineages\([^()]*\)", str(caught.value))
    found = [eval(x, {"read_lineages": read_lineages, "path": io.StringIO(text)}).n_leaves for x in calls]
    assert found == [4, 5]
    assert read(text.replace(";", "; ")).n_leaves == 5  # as paths are written


def test_read_lineages__paths_that_share_no_top_have_no_header():
    with collected() as notes:
        read("a;b;c\nd;e;f\ng;h;i\nj;k;l\n")
    assert [x for x in notes if x.topic == "header"] == []


@pytest.mark.parametrize(
    "rows",
    [
        ["1,Top", "2,Top.Sci", "3,Top.Sci.Astro", "4,Top.Sci.Bio", "5,Top.Art", "6,Top.Art.Chess"],
        ["6,Top.Art.Chess", "4,Top.Sci.Bio", "3,Top.Sci.Astro", "2,Top.Sci", "5,Top.Art", "1,Top"],
    ],
)
def test_lineages__dots_between_names_of_paths_that_are_rows_too(rows):
    h = read_lineages(io.StringIO("\n".join(["id,path", *rows])))
    assert {tuple(x) for x in tt.induce(h, [("3", "4", "6")])} == {("3", "4", "6")}
    assert sorted(h.open_leaves) == ["1", "2", "5"]
    assert list(read_lineages(io.StringIO("id,taxon\n1,Bog. 38\n2,St. Ann\n3,Bog\n")).leaves) == ["1", "2", "3"]


@pytest.mark.parametrize("header", ["osoba;jeden;dwa;trzy;inny\n", ""])
def test_lineages__rows_of_questions_between_semicolons_are_no_paths(header):
    asked = "p;pies;kot;mak;mak\np;mak;lis;kot;mak\nr;kot;pies;lis;pies\nr;lis;mak;pies;mak\n"
    with pytest.raises(ParseError, match="not recognised|what are the columns"):
        tt.read_hierarchy(io.StringIO(header + asked))
    paths = "Energy;Energy;Energy;Oil\nEnergy;Energy;Energy;Gas\nMetals;Metals;Mines;Iron\nMetals;Metals;Mines;Zinc\n"
    assert len(tt.read_hierarchy(io.StringIO(paths)).leaves) == 4


@pytest.mark.parametrize("name", ["ScientificName", "Name", "taxon (L.)"])
def test_lineages__whole_names_beside_their_genera_are_the_species(name):
    rows = ["1,Ulva lactuca L.,Ulvaceae,Ulva", "2,Ulva rigida,Ulvaceae,Ulva", "3,Codium fragile,Codiaceae,Codium"]
    h = read_lineages(io.StringIO("\n".join([f"no,{name},Family,Genus", *rows])))
    assert sorted(h.leaves) == ["Codium fragile", "Ulva lactuca L.", "Ulva rigida"]
    assert {*h.ranks[:3]} == {"species"}
    others = [x.replace("Codium fragile", "green algae") for x in rows]
    with pytest.warns(UserWarning, match="tells them apart"):
        assert "Codium" in read_lineages(io.StringIO("\n".join([f"no,{name},Family,Genus", *others]))).leaves


def test_lineages__a_lowest_level_whose_names_recur_is_offered_as_such():
    towns = "land,state,town\nUS,ME,Ash\nUS,ME,Elm\nUS,OR,Ash\nUS,OR,Oak\nPE,LI,Fig\n"
    with pytest.warns(UserWarning, match=re.escape("give columns=['land', 'state', 'town']")):
        read_lineages(io.StringIO(towns))
    assert len(read_lineages(io.StringIO(towns), columns=["land", "state", "town"]).leaves) == 5
