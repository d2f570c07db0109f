"""Excel workbooks: the one sheet with cells is read as any other table is."""

import datetime
import io
import sys
import tracemalloc
import zipfile
from contextlib import suppress

import pytest

import tripletree as tt
from tripletree.errors import LimitExceededError, MissingDependencyError, ParseError
from tripletree.io import read_answers, read_pairs, read_triplets, recognize, source
from tripletree.io.source import read_text

openpyxl = pytest.importorskip("openpyxl")


def saved(path, *sheets):
    """A workbook with a sheet for each list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for k, rows in enumerate(sheets):
        sheet = book.create_sheet(f"sheet {k}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_workbook__cells(tmp_path):
    day = datetime.datetime(2026, 11, 23)
    rows = [["name", "x", None, None], ["a, b", 1.0], [], ["c", 0.5, True, day], [None, "é"], [None, None]]
    path = saved(tmp_path / "t.xlsx", [], rows)
    assert read_text(path)[0] == 'name,x,,\n"a, b",1,,\n\nc,0.5,True,2026-11-23\n,é,,\n'


def test_workbook__every_reader_of_tables(tmp_path):
    path = saved(tmp_path / "t.xlsx", [["a", "b", "c"], ["cat", "dog", "eel"]])
    assert list(read_triplets(path)) == [("cat", "dog", "eel")]
    assert list(read_triplets(io.BytesIO(path.read_bytes()))) == [("cat", "dog", "eel")]
    path = saved(tmp_path / "p.xlsx", [["a", "b", "link"], ["cat", "dog", "must"]])
    assert read_pairs(path).n_must == 1
    path = saved(tmp_path / "o.xlsx", [["a", "b", "c", "odd"], ["cat", "dog", "eel", "eel"]])
    assert read_answers(path)[0].odd == "eel"
    path = saved(tmp_path / "e.xlsx", [["child", "parent"], ["cat", "felids"], ["lion", "felids"]])
    assert recognize(path) == "edges"
    assert tt.read_hierarchy(path).leaves.labels == ("cat", "lion")
    with pytest.raises(ParseError, match="line 3"):
        read_triplets(saved(tmp_path / "bad.xlsx", [["a", "b", "c"], ["cat", "dog", "eel"], ["cat", "cat", "eel"]]))


def test_workbook__what_is_refused(tmp_path, monkeypatch):
    with pytest.raises(ParseError, match=r"2 sheets that hold cells where one is expected: 'sheet 0', 'sheet 1'; save"):
        read_text(saved(tmp_path / "two.xlsx", [["a"]], [["b"]]))
    with pytest.raises(ParseError, match="without a cell"):
        read_text(saved(tmp_path / "none.xlsx", []))
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    with pytest.raises(ParseError, match=r"an old Excel workbook \(\.xls\), or one with a password: save it as \.xlsx"):
        read_text(tmp_path / "old.xls")
    with zipfile.ZipFile(tmp_path / "t.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<x/>")
    with pytest.raises(ParseError, match="an OpenDocument file: save its table as CSV"):
        read_text(tmp_path / "t.ods")
    path = saved(tmp_path / "t.xlsx", [["a", "b", "c"], ["cat", "dog", "eel"]])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingDependencyError, match="reading Excel workbooks needs openpyxl"):
        read_triplets(path)


def test_workbook__damaged_or_too_large(tmp_path, monkeypatch):
    whole = saved(tmp_path / "t.xlsx", [["a", "b", "c"], ["cat", "dog", "eel"]]).read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {x: archive.read(x) for x in archive.namelist()}
    for name in members:
        for content in (b"", b"<x", members[name][: len(members[name]) // 2]):
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                for other, rest in members.items():
                    archive.writestr(other, content if other == name else rest)
            with suppress(ParseError):  # parts that are not cells may be damaged
                read_text(io.BytesIO(packed.getvalue()))
    for cut in range(97, len(whole), 97):
        with pytest.raises(ParseError):
            read_text(io.BytesIO(whole[:cut] + b"x"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr("xl/bomb.xml", bytes(100_000_000))
    with pytest.raises(LimitExceededError, match="unpacks"):
        read_text(io.BytesIO(packed.getvalue()))


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHARED = (
    '<Override PartName="/xl/sharedStrings.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>'
)


def packed_sheet(path, data, strings=""):
    """A workbook whose one sheet is written by hand: rows and cells as XML, and its shared strings."""
    whole = io.BytesIO()
    saved(whole, [["a"]])
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.namelist():
            content = old.read(item)
            if item.startswith("xl/worksheets/"):
                head, _, rest = content.partition(b"<sheetData>")
                content = head + b"<sheetData>" + data.encode() + b"</sheetData>" + rest.partition(b"</sheetData>")[2]
            elif item == "[Content_Types].xml":
                content = content.replace(b"</Types>", SHARED.encode() + b"</Types>")
            if item != "xl/sharedStrings.xml":
                new.writestr(item, content)
        new.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}"><si><t>{strings}</t></si></sst>')
    return path


def cell(place, value="<v>1</v>", kind=""):
    row = "".join(x for x in place if x.isdigit())
    return f'<row r="{row}"><c r="{place}"{kind}>{value}</c></row>'


@pytest.mark.parametrize("place", ["A1048577", "A10000000", "A2000000000", "XFE2"])
def test_workbook__cells_beyond_those_of_excel_are_refused_before_they_are_padded(tmp_path, place):
    """A row numbered ten million took a gigabyte."""
    path = packed_sheet(tmp_path / "t.xlsx", cell("A1") + cell(place))
    with pytest.raises(ParseError, match=r"beyond row 1,048,576 or column 16,384, the last of Excel; save .* as CSV"):
        read_text(path)


def test_workbook__rows_that_are_passed_over_take_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_MOST_ROWS", 50_000)
    path = packed_sheet(tmp_path / "t.xlsx", cell("A1") + cell("A2000000000"))
    tracemalloc.start()
    with pytest.raises(ParseError, match="beyond row 50,000"):
        read_text(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()


def test_workbook__the_last_row_and_the_last_column_are_read(tmp_path):
    text = read_text(packed_sheet(tmp_path / "t.xlsx", cell("A1") + cell("A1048576")))[0]
    assert (text.count("\n"), text[:4], text[-3:]) == (1_048_576, "1\n\n\n", "\n1\n")
    assert read_text(packed_sheet(tmp_path / "u.xlsx", cell("XFD1")))[0] == "," * 16_383 + "1\n"


@pytest.mark.parametrize(
    ("data", "strings"),
    [
        (cell("A1") + cell("XFD5000"), ""),  # a table of 82 million cells
        ("".join(cell(f"XFD{k}", "") for k in range(1, 5000)), ""),  # empty ones that are nevertheless there
        ("".join(cell(f"A{k}", "<v>0</v>", ' t="s"') for k in range(1, 5000)), "x" * 20_000),  # a text, 5,000 times
    ],
)
def test_workbook__few_bytes_for_many_cells_are_refused(tmp_path, monkeypatch, data, strings):
    monkeypatch.setattr(source, "RATIO_FROM", 1 << 22)  # so that it takes less than seconds
    path = packed_sheet(tmp_path / "t.xlsx", data, strings)
    assert path.stat().st_size < 1 << 17
    with pytest.raises(LimitExceededError, match=r"unpacks \(Excel\) to more than [\d,]+ bytes out of"):
        read_text(path)


RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET = f'<sheet xmlns:r="{RELATIONS}" name="s{{0}}" sheetId="9{{0}}" r:id="rId1"/>'


@pytest.mark.parametrize(
    ("part", "before", "more"),
    [
        ("xl/styles.xml", "</cellXfs>", "<xf/>" * 20_000),
        ("xl/styles.xml", "</fonts>", "<font/>" * 20_000),
        ("xl/workbook.xml", "</sheets>", "".join(map(SHEET.format, range(500)))),
        (
            "xl/worksheets/sheet1.xml",
            "<pageMargins",
            "<mergeCells>" + '<mergeCell ref="A1:B2"/>' * 80_000 + "</mergeCells>",
        ),
        ("xl/worksheets/sheet1.xml", "</sheetData>", "<row/>" * 80_000),
    ],
    ids=lambda x: x[:40],
)
def test_workbook__few_bytes_for_many_objects_are_refused(tmp_path, monkeypatch, part, before, more):
    """Three million empty styles, 26 KB, took more than 15 seconds."""
    monkeypatch.setattr(source, "RATIO_FROM", 1 << 22)
    whole = io.BytesIO()
    saved(whole, [["a"]])
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.namelist():
            text = old.read(item).decode()
            assert item != part or text.count(before) == 1
            new.writestr(item, text.replace(before, more + before) if item == part else text)
    with pytest.raises(LimitExceededError, match=r"unpacks \(Excel\) to more than [\d,]+ bytes out of"):
        read_text(tmp_path / "t.xlsx")


def test_workbook__formulas_without_saved_values_are_no_gaps(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "measured"
    for row in (["name", "kg", "twice"], ["cat", 4, "=B2*2"], ["lion", 190, "=B3*2"]):
        book.active.append(row)
    book.save(tmp_path / "table.xlsx")
    with pytest.raises(
        ParseError, match=r"cell C2 of sheet 'measured' holds a formula without a saved value, like 1 o"
    ):
        read_text(tmp_path / "table.xlsx")


@pytest.mark.parametrize(("inner", "text"), [("<f>1+1</f><v>2</v>", "2"), ("<f/><v>2</v>", "2")])
def test_workbook__formulas_with_saved_values_are_these(tmp_path, inner, text):
    packed_sheet(tmp_path / "a.xlsx", f'<row r="1"><c r="A1">{inner}</c><c r="B1"><v>1</v></c></row>')
    assert read_text(tmp_path / "a.xlsx")[0] == f"{text},1\n"


def test_workbook__a_saved_text_may_be_empty(tmp_path):
    data = '<row r="1"><c r="A1" t="str"><f>A9</f><v></v></c><c r="B1"><v>1</v></c></row>'
    packed_sheet(tmp_path / "a.xlsx", data)
    assert read_text(tmp_path / "a.xlsx")[0] == ",1\n"


def test_workbook__codes_keep_the_zeros_that_are_shown(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["code", "kg"], [123, 4], ["00042", 190], [1234567, 7]):
        book.active.append(row)
    for row in (2, 4):
        book.active.cell(row, 1).number_format = "00000"
    book.save(tmp_path / "table.xlsx")
    assert read_text(tmp_path / "table.xlsx")[0] == "code,kg\n00123,4\n00042,190\n1234567,7\n"
