"""read_annotations: which item belongs to which terms."""

import bz2
import gzip
import io
import lzma
import re
import zipfile
from contextlib import suppress

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import collected
from tripletree.errors import NotATreeError, ParseError, TripletreeError
from tripletree.io import parse_newick
from tripletree.io.annotations import read_annotations

#: One line of GAF 2.2 for each (object, symbol, qualifier, term, evidence, aspect).
ROWS = [
    ("P1", "AAA", "involved_in", "GO:0000001", "IDA", "P"),
    ("P1", "AAA", "NOT|enables", "GO:0000002", "IDA", "F"),
    ("P2", "BBB", "located_in", "GO:0000003", "IEA", "C"),
    ("P1", "AAA", "enables", "GO:0000004", "EXP", "F"),
    ("P1", "AAA", "involved_in", "GO:0000001", "IEA", "P"),
    ("P3", "CCC", "", "GO:0000001", "TAS", "P"),
    ("P4", "DDD", "involved_in|NOT", "GO:0000001", "TAS", "P"),
    ("P5", "NOTUM", "NOTHING", "GO:0000005", "TAS", "P"),
]


def gaf(rows=ROWS, version="!gaf-version: 2.2\n!\n! written by hand\n", width=17, end="\n"):
    lines = []
    for thing, symbol, qualifier, term, code, aspect in rows:
        cells = ["UniProtKB", thing, symbol, qualifier, term, "PMID:1", code, "", aspect, "a name", "x|y", "protein"]
        lines.append("\t".join([*cells, "taxon:9606", "20200101", "UniProt", "", ""][:width]) + end)
    return version + "".join(lines)


def read(text, **options):
    return read_annotations(io.StringIO(text), **options)


def definition(rows, item=0, evidence=None, aspect=None):
    """The annotations that are left, one row at a time."""
    found = {}
    for row in rows:
        if "NOT" in row[2].split("|") or (evidence and row[4] not in evidence) or (aspect and row[5] not in aspect):
            continue
        terms = found.setdefault(row[item], [])
        if row[3] not in terms:
            terms.append(row[3])
    return found


# ---------------------------------------------------------------------- GAF


@pytest.mark.parametrize("version", ["!gaf-version: 2.2\n", "!gaf-version: 2.1\n! more\n", "! only a comment\n", ""])
@pytest.mark.parametrize("width", [15, 16, 17])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_annotations__gaf_of_any_version(version, width, end):
    wanted = {"P1": ["GO:0000001", "GO:0000004"], "P2": ["GO:0000003"], "P3": ["GO:0000001"], "P5": ["GO:0000005"]}
    assert read(gaf(version=version, width=width, end=end)) == wanted
    assert read(gaf(version=version, width=width, end=end), format="gaf") == wanted


def test_annotations__gaf_by_symbol_evidence_and_aspect():
    assert read(gaf(), item="id") == read(gaf())
    assert list(read(gaf(), item="symbol")) == ["AAA", "BBB", "CCC", "NOTUM"]
    assert read(gaf(), evidence="IDA") == {"P1": ["GO:0000001"]}
    assert read(gaf(), evidence={"IEA", "TAS"}, aspect=["P"]) == {
        "P1": ["GO:0000001"],
        "P3": ["GO:0000001"],
        "P5": ["GO:0000005"],
    }
    assert read(gaf(), aspect=("F", "C")) == {"P2": ["GO:0000003"], "P1": ["GO:0000004"]}


rows = st.tuples(
    st.sampled_from(["P1", "P2", "P3"]),
    st.sampled_from(["A", "B"]),
    st.sampled_from(["", "NOT", "enables", "NOT|enables", "enables|NOT", "NOTE"]),
    st.sampled_from(["GO:1", "GO:2", "GO:3"]),
    st.sampled_from(["IDA", "IEA"]),
    st.sampled_from("PFC"),
)


@given(
    st.lists(rows, min_size=1, max_size=12),
    st.sampled_from([None, {"IDA"}, {"IDA", "IEA"}]),
    st.sampled_from([None, {"P"}, {"F", "C"}]),
    st.sampled_from(["id", "symbol"]),
)
def test_annotations__gaf_agrees_with_the_definition(rows, evidence, aspect, item):
    wanted = definition(rows, 1 if item == "symbol" else 0, evidence, aspect)
    if not wanted:
        with pytest.raises(ParseError, match="none of its .* annotations is left|its one annotation is left out"):
            read(gaf(rows), evidence=evidence, aspect=aspect, item=item)
        return
    found = read(gaf(rows), evidence=evidence, aspect=aspect, item=item)
    assert found == wanted
    assert list(found) == list(wanted)


def test_annotations__gaf_agrees_with_goatools(tmp_path):
    gaf_reader = pytest.importorskip("goatools.anno.gaf_reader")
    path = tmp_path / "x.gaf"
    kept = [("P1", "AAA", "involved_in", "GO:0000001", "IDA", "P"), *ROWS[1:4], ROWS[6]]
    path.write_text(gaf(kept, version="!gaf-version: 2.1\n"))
    theirs = gaf_reader.GafReader(str(path), prt=None).get_id2gos_nss()
    assert {x: set(terms) for x, terms in read_annotations(path).items()} == theirs


@pytest.mark.parametrize(
    ("change", "message", "line", "column"),
    [
        (lambda s: s.replace("GO:0000003", ""), "column 5, GO ID, is empty", 6, 29),
        (lambda s: s.replace("\tP2\t", "\t \t"), "column 2, DB Object ID, is empty", 6, 11),
        (lambda s: s.replace("\tTAS\t", "\t\t", 1), "column 7, Evidence Code, is empty", 9, None),
        (lambda s: s.replace("a name\t", "", 1).replace("x|y\t", "", 1).replace("\t\t\n", "\n", 1), "13 columns", 4, 1),
        (lambda s: s + "rubbish\n", "1 column between tabs where GAF has 15 to 17", 12, 1),
        (lambda s: s + "x" + "\t" * 17 + "\n", "18 columns", 12, 1),
    ],
)
def test_annotations__gaf_lines_that_are_none_are_told(change, message, line, column):
    with pytest.raises(ParseError, match=message) as caught:
        read(change(gaf()))
    assert caught.value.line == line
    assert column in (None, caught.value.column)


def test_annotations__gaf_without_annotations():
    for text in ("!gaf-version: 2.2\n", "!gaf-version: 2.2\n! nothing\n\n"):
        with pytest.raises(ParseError, match="no annotations in it, though it should be GAF"):
            read(text)
    with pytest.raises(ParseError, match="none of its 8 annotations is left.*codes in it are EXP, IDA, IEA, TAS"):
        read(gaf(), evidence="XXX")


# ---------------------------------------------------------------------- GPAD


GPAD1 = """!gpa-version: 1.1
!generated by hand
UniProtKB\tP1\tenables\tGO:1\tPMID:1\tECO:0000314\t\t\t20200101\tUniProt\t\t
UniProtKB\tP1\tNOT|enables\tGO:2\tPMID:1\tECO:0000314\t\t\t20200101\tUniProt\t\t
UniProtKB\tP2\tpart_of\tGO:3\tPMID:1\tECO:0000501\t\t\t20200101\tUniProt\t\t
"""
GPAD2 = """!gpad-version: 2.0
UniProtKB:P1\t\tRO:0002327\tGO:1\tPMID:1\tECO:0000314\t\t\t2020-01-01\tUniProt\t\t
UniProtKB:P1\tNOT\tRO:0002327\tGO:2\tPMID:1\tECO:0000314\t\t\t2020-01-01\tUniProt\t\t
UniProtKB:P2\t\tBFO:0000050\tGO:3\tPMID:1\tECO:0000501\t\t\t2020-01-01\tUniProt\t\t
"""


def test_annotations__gpad():
    assert read(GPAD1) == {"P1": ["GO:1"], "P2": ["GO:3"]}
    assert read(GPAD2) == {"UniProtKB:P1": ["GO:1"], "UniProtKB:P2": ["GO:3"]}
    assert read(GPAD1, evidence="ECO:0000501") == {"P2": ["GO:3"]}
    with pytest.raises(ParseError, match="column 4, Ontology Class ID, is empty") as caught:
        read(GPAD2.replace("GO:3", ""))
    assert caught.value.line == 4
    with pytest.raises(ParseError, match="GPAD of version 3 is not known") as caught:
        read(GPAD2.replace("version: 2.0", "version: 3.0"))
    assert caught.value.line == 1
    with pytest.raises(ParseError, match="without which the columns are not known"):
        read(GPAD1.replace("!gpa-version: 1.1\n", ""), format="gpad")
    with pytest.raises(ValueError, match="GPAD, which has no symbols"):
        read(GPAD1, item="symbol")
    with pytest.raises(ValueError, match="aspect= cannot be used with GPAD"):
        read(GPAD1, aspect="P")


# ---------------------------------------------------------------------- tables

TABLE = {"Tom": ["cat"], "Rex": ["dog", "carnivore"]}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Tom,cat\nRex,dog\nRex,carnivore\n", {}),
        ("Tom\tcat\nRex\tdog\nRex\tcarnivore\nRex\tdog", {}),
        ("Tom;cat\r\nRex;dog\r\nRex;carnivore\r\n", {}),
        ("\ufeffTom,cat\nRex,dog\n\nRex,carnivore\n", {}),
        ("sample,species\nTom,cat\nRex,dog\nRex,carnivore\n", {}),
        ("Gene ID\tGO term\nTom\tcat\nRex\tdog\nRex\tcarnivore\n", {}),
        ("x,y\nTom,cat\nRex,dog\nRex,carnivore\n", {"header": True}),
        ("x,y\nTom,cat\nRex,dog\nRex,carnivore\n", {"item": "x"}),
        ("y,x\ncat,Tom\ndog,Rex\ncarnivore,Rex\n", {"item": "x"}),
        ("y,x\ncat,Tom\ndog,Rex\ncarnivore,Rex\n", {"node": "y"}),
        ("cat,Tom\ndog,Rex\ncarnivore,Rex\n", {"node": 0}),
        ("where,weight,who\ncat,3,Tom\ndog,,Rex\ncarnivore,1,Rex\n", {"item": "who", "node": "where"}),
        ("cat,3,Tom\ndog,,Rex\ncarnivore,1,Rex\n", {"item": 2, "node": 0}),
        ('"Tom","cat"\n"Rex","dog"\n"Rex","carnivore"\n', {}),
        ("Tom\tcat\nRex\tdog, carnivore\n", {"separator": ","}),
        ("Tom,cat\nRex,dog | carnivore\n", {"separator": "|"}),
        ("# made by hand\nTom\tcat, cat,cat\nRex\tdog, carnivore\n", {"separator": ","}),
        ("who,where\nTom,cat\nRex,dog; carnivore\n", {"separator": ";", "node": "where"}),
    ],
)
@pytest.mark.parametrize("format", ["auto", "table"])
def test_annotations__tables(text, options, format):
    assert read(text, format=format, **options) == TABLE


def test_annotations__a_first_row_is_no_header_unless_it_looks_like_one():
    assert read("Tom,thing\nRex,cat\n") == {"Tom": ["thing"], "Rex": ["cat"]}
    assert read("gene,go_id\nTom,cat\n", header=False) == {"gene": ["go_id"], "Tom": ["cat"]}


@pytest.mark.parametrize("header", ["cell,label", "cell,type", "Barcode,Cell type", "image,cluster"])
def test_annotations__headers_of_cells_and_pictures(header):
    assert read(f"{header}\nTom,cat\nRex,dog\n") == {"Tom": ["cat"], "Rex": ["dog"]}


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ("gene,thing", "Tom,cat\nRex,dog\n"),
        ("who,type", "Tom,cat\nRex,dog\n"),
        ("who,what", "Tom,cat\nRex,dog\nMia,cat\nIda,dog\n"),
    ],
)
def test_annotations__a_first_row_that_may_be_a_header_is_refused(first, rest):
    with pytest.raises(ParseError, match="line 1: is this a header. '.*', '.*' occur nowhere else. .*header=True"):
        read(f"{first}\n{rest}")
    wanted = read(rest)
    assert read(f"{first}\n{rest}", header=True) == wanted
    assert len(read(f"{first}\n{rest}", header=False)) == len(wanted) + 1
    assert len(read(f"{first}\n{rest}{first}\n")) == len(wanted) + 1  # said again


def test_annotations__parquet_and_data_frames(tmp_path):
    frame = pd.DataFrame({"sample": ["Tom", "Rex", "Rex"], "n": [1, 2, 3], "sp": ["cat", "dog", "carnivore"]})
    assert read_annotations(frame, item="sample", node="sp") == TABLE
    assert read_annotations(frame[["n", "sp"]]) == {"1": ["cat"], "2": ["dog"], "3": ["carnivore"]}
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "x.parquet")
    assert read_annotations(tmp_path / "x.parquet", item="sample", node="sp") == TABLE
    with pytest.raises(ParseError, match=r"x\.parquet.*3 columns: 'sample', 'n', 'sp'; give item= and node="):
        read_annotations(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="evidence= cannot be used with a table"):
        read_annotations(tmp_path / "x.parquet", evidence="IDA")
    with pytest.raises(ValueError, match="aspect= cannot be used with a data frame"):
        read_annotations(frame, aspect="P")


@pytest.mark.parametrize(
    ("text", "options", "message", "line"),
    [
        ("Tom,cat\nRex,\n", {}, "no node in this row", 2),
        ("Tom,cat\n,dog\n", {}, "no item in this row", 2),
        ("Tom,cat\n  ,dog\n", {}, "no item in this row", 2),
        ("Tom,cat\nRex,dog,\n", {}, "3 cells where the first row has 2", 2),
        ("Tom,cat\nRex\n", {}, "1 cell where the first row has 2", 2),
        ("Tom\nRex\n", {}, "1 column; give item= and node=, which columns", 1),
        ("a,b,c\nTom,cat,3\n", {}, "3 columns; give item= and node=", 1),
        ("a,b,c\nTom,cat,3\n", {"item": "a"}, "3 columns: 'a', 'b', 'c'; give item= and node=", 1),
        ("a,b\nTom,cat\n", {"item": "x"}, "item='x' is not a column of this table; it has 'a', 'b'", 1),
        ("Tom,cat\n", {"item": 2}, "item=2 is not a column", None),
        ("gene,go_id\n", {}, "nothing follows the header", None),
        ("Tom\tcat,,dog\n", {"separator": ","}, "an empty node in 'cat,,dog'", 1),
        ("", {}, "empty", 1),
    ],
)
def test_annotations__tables_that_are_none_are_told(text, options, message, line):
    with pytest.raises(ParseError, match=message) as caught:
        read(text, **options)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n", {"format": "obo"}, "format must be one of 'auto', 'gaf', 'gpad', 'table', not 'obo'"),
        ("a,b\n", {"evidence": "IDA"}, "evidence= cannot be used with a table"),
        ("a,b\n", {"evidence": []}, "evidence must be a code or a collection of codes"),
        ("a,b\n", {"evidence": [1]}, "evidence must be a code or a collection of codes"),
        ("a,b\n", {"aspect": "BP"}, "aspect must be of 'P', 'F' and 'C'"),
        ("a,b\n", {"item": 0, "node": 0}, "item and node are the same column"),
        ("a,b\n", {"separator": ""}, "separator must be a text"),
        (gaf(), {"item": "name"}, "item must be 'id' or 'symbol' for GAF"),
        (gaf(), {"node": 4, "header": False}, "node= and header= cannot be used with GAF"),
    ],
)
def test_annotations__options_that_do_not_fit(text, options, message):
    with pytest.raises(ValueError, match=message):
        read(text, **options)


# ---------------------------------------------------------------------- sources, use, rubbish


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zip"])
@pytest.mark.parametrize("text", [gaf(), "Tom,cat\n"])
def test_annotations__files_packed_or_not(tmp_path, suffix, text):
    path = tmp_path / f"x.txt{suffix}"
    pack = {"": lambda b: b, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    if suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("x.txt", text)
    else:
        path.write_bytes(pack[suffix](text.encode()))
    assert read_annotations(path) == read(text)
    if suffix == "":
        with open(path, "rb") as stream:
            assert read_annotations(stream) == read(text)
    with pytest.raises(FileNotFoundError):
        read_annotations(tmp_path / "nothing")


def test_annotations__hang_under_a_hierarchy():
    h = parse_newick("((cat,dog)carnivore,owl)animal;")
    assert h.attach(read("Tom,cat\nRex,dog\nMia,cat\n")) == Hierarchy.from_nested([["Tom", "Mia"], "Rex"])
    with pytest.raises(NotATreeError, match="item 'Rex' has 2 nodes: 'dog', 'carnivore'"):
        h.attach(read("Tom,cat\nRex,dog\nRex,carnivore\n"))


def valid(found):
    assert isinstance(found, dict)
    assert found
    for thing, terms in found.items():
        assert isinstance(thing, str)
        assert thing
        assert terms
        assert len(set(terms)) == len(terms)
        assert all(isinstance(x, str) and x for x in terms)


@given(st.text(alphabet=st.sampled_from('ab,;\t\n\r"!#GO: |1'), max_size=60), st.sampled_from([None, ","]))
def test_annotations__rubbish_is_read_or_refused(text, separator):
    for options in ({"separator": separator}, {"format": "gaf"}, {"format": "gpad"}, {"format": "table", "item": 0}):
        try:
            valid(read(text, **options))
        except TripletreeError:
            pass
        except ValueError as error:
            assert "separator= cannot be used" in str(error)  # noqa: PT017


@given(st.binary(max_size=80))
def test_annotations__bytes_are_read_or_refused(content):
    with suppress(TripletreeError):
        valid(read_annotations(io.BytesIO(content)))


@given(st.sampled_from([gaf(), GPAD1, GPAD2]), st.data())
def test_annotations__damaged_files_are_read_or_refused(text, data):
    at = data.draw(st.integers(0, len(text) - 1))
    size = data.draw(st.integers(0, 30))
    new = data.draw(st.text(alphabet=st.sampled_from("\t\n! PGO:1"), max_size=3))
    try:
        valid(read(text[:at] + new + text[at + size :]))
    except TripletreeError as error:
        assert isinstance(error, ParseError)  # noqa: PT017


def test_read_annotations__rows_that_say_not_in_a_table_are_left_out():
    """NCBI's gene2go: "NOT located_in" was read as an annotation."""
    text = "#tax_id\tGeneID\tGO_ID\tQualifier\n9\t1\tGO:1\tis_in\n9\t2\tGO:1\tNOT is_in\n9\t2\tGO:2\tNOTE\n"
    with collected() as told:
        found = read_annotations(io.StringIO(text), item="GeneID", node="GO_ID")
    assert found == {"1": ["GO:1"], "2": ["GO:2"]}
    assert "1 row left out, whose 'Qualifier' says NOT" in [x.text for x in told]


def test_read_annotations__a_first_row_without_the_numbers_of_the_others_may_be_a_header():
    """Its cells were read as an item and its node."""
    text = "voucher\tdetermination\nH-001\tQuercus robur\nH-002\tAcer rubrum\n"
    with pytest.raises(
        ParseError, match="If it names columns: .*header=True.; if these are an item and its node: .*header=False"
    ):
        read_annotations(io.StringIO(text))
    assert read_annotations(io.StringIO(text), header=True) == {"H-001": ["Quercus robur"], "H-002": ["Acer rubrum"]}


PETS = [("Rex", "dog"), ("Bello", "dog"), ("Mimi", "cat"), ("Tweety", "bird"), ("Coco", "bird")]
TURNED = [(y, x) for x, y in PETS]
WANTED = {x: [y] for x, y in PETS}
MANY = [("g1", "k1"), ("g2", "k1"), ("g2", "k2"), ("g3", "k2"), ("g1", "k3")]
#: Tables whose items and nodes stand in either order: the header, the rows, and all readings that may be meant.
ROLES = [
    ("term,gene", TURNED, [WANTED]),
    ("gene,term", PETS, [WANTED]),
    ("cluster,cell", TURNED, [WANTED]),
    ("cell_type,barcode", TURNED, [WANTED]),
    ("species,sample", TURNED, [WANTED]),
    ("accepted,synonym", TURNED, [WANTED]),
    ("label,id", TURNED, [WANTED]),
    ("label,filename", TURNED, [WANTED]),
    ("diagnosis,patient", TURNED, [WANTED]),
    ("Gruppe,Probe", TURNED, [WANTED]),
    ("especie,muestra", TURNED, [WANTED]),
    ("groupe,nom", TURNED, [WANTED]),
    ("Tier,Art", PETS, [WANTED]),
    ("kategorie,artikel,preis", [(*x, f"{k}.5") for k, x in enumerate(TURNED)], [WANTED]),
    ("pathway,gene", [x[::-1] for x in MANY], [read("".join(f"{x},{y}\n" for x, y in MANY))]),
    ("foo,bar", PETS, [WANTED]),
    ("foo,bar", TURNED, [WANTED]),
    (None, PETS, [WANTED]),
    (None, TURNED, [WANTED]),
    (
        "id,name,group",
        [(str(k), *x) for k, x in enumerate(PETS)],
        [WANTED, {str(k): [x[1]] for k, x in enumerate(PETS)}],
    ),
]


@pytest.mark.parametrize("layout", ROLES, ids=lambda x: f"{x[0]} {x[1][0][0]}")
def test_read_annotations__which_column_is_the_item_is_read_right_or_asked(tmp_path, layout):
    """Each command of a question is run as it is printed: the readings that are meant are among what it gives."""
    header, rows, meant = layout
    path = tmp_path / "x.csv"
    path.write_text("".join(",".join(x) + "\n" for x in [*([header.split(",")] if header else []), *rows]))
    found, calls = [], [f"read_annotations({str(path)!r})"]
    while calls:
        command = calls.pop()
        try:
            found.append(eval(command, {"read_annotations": read_annotations}))
        except ParseError as error:
            calls += re.findall(r"read_annotations\([^()]*\)", str(error))
            assert len(found) + len(calls) < 9
    assert all(x in found for x in meant)
    assert len(found) > 1 or found == meant
