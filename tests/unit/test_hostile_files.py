"""Files that are damaged, cut off, or made to hang the reader: each is refused, and soon.

Some sizes here take a fraction of a second where time is linear in them, and minutes where it is quadratic.
"""

import bz2
import contextlib
import decimal
import gzip
import io
import json
import lzma
import re
import struct
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core.triplets import TripletSet
from tripletree.errors import LimitExceededError, ParseError, TripletreeError
from tripletree.io import (
    read_annotations,
    read_answers,
    read_comparisons,
    read_hierarchy,
    read_lineages,
    read_odd_one_out,
    read_pairs,
)
from tripletree.io import source as _packed
from tripletree.io.edges import read_edges
from tripletree.io.nested_json import read_json
from tripletree.io.newick import read_newick
from tripletree.io.obo import parse_obo, read_obo
from tripletree.io.registry import FORMATS
from tripletree.io.source import raw_bytes, read_bytes, read_text, tar_members, write_atomic
from tripletree.io.taxdump import read_taxdump
from tripletree.io.triplets import read_triplets, write_triplets
from tripletree.io.wordnet import read_wordnet
from tripletree.io.xml import XmlChildren, XmlEvents

# ---------------------------------------------------------------------- WordNet


@pytest.mark.parametrize(
    "line",
    [
        "00000001 03 n 01 entity 0 0" + "9" * 30 + " ~ x | y",
        "00000001 03 n 01 entity 0 9" + "0" * 12 + " ~ x | y",
        "00000001 03 n " + "9" * 30 + " entity 0 000 | y",
        "00000001 03 n ff entity 0 000 | y",
        "00000001 03 n 01 entity 0 0 | y",
        "00000001 03 n 01 entity 0 -01 | y",
        "00000001 03 n 01 entity 0 001 @ 00000001 n | y",
        "٠٠٠٠٠٠٠١ 03 n 01 entity 0 000 | y",
        "00000001 03 v 01 be 0 002 @ 00000001 v 0000 | y",
    ],
)
def test_wordnet__counts_are_compared_with_what_is_there(line):
    with pytest.raises(ParseError, match="not a synset") as caught:
        read_wordnet(io.StringIO(line))
    assert caught.value.line == 1


def test_wordnet__a_line_cut_anywhere_is_refused():
    data = "00000001 03 n 01 entity 0 000 | all\n00000003 03 n 02 pet 0 a 0 001 @ 00000001 n 0000 | a pet\n"
    assert read_wordnet(io.StringIO(data)).edges.tolist() == [[1, 0]]
    for stop in range(data.index("\n") + 2, data.rindex("|") + 1):
        with pytest.raises(ParseError, match="line 2, column 1: not a synset"):
            read_wordnet(io.StringIO(data[:stop]))
    with pytest.raises(ParseError, match="this line has no bar: was the file cut off here"):
        read_wordnet(io.StringIO("00000003 03 n 01 pet 0 0"))


def test_wordnet__verbs_have_frames_behind_their_pointers():
    lines = ["00000001 29 v 01 be 0 000 01 + 02 00 | all", "00000002 29 v 01 go 0 001 @ 00000001 v 0000 01 + 02 00 | x"]
    assert read_wordnet(io.StringIO("\n".join(lines))).edges.tolist() == [[1, 0]]


# ---------------------------------------------------------------------- places in large files


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_xml__the_place_behind_many_lines(end):
    n = 2**22 if end == b"\n" else 2**12
    content = b"<a>" + end * n + b"</b>"
    for read in (XmlChildren, XmlEvents):
        with pytest.raises(ParseError, match="mismatched tag") as caught:
            list(read(content))
        assert (caught.value.line, caught.value.column) == (n + 1, 3)
        assert str(caught.value).splitlines()[1] == "  </b>"


@pytest.mark.parametrize("space", ["\n", " \t\r\n"])
def test_json__white_space_behind_the_end(space):
    deep = "[" * 200 + '"a"' + "]" * 200
    assert list(read_json(io.StringIO(deep + space * 2**19)).leaves) == ["a"]
    for text in ("", deep[:-1], deep + "1"):
        with pytest.raises(ParseError):
            read_json(io.StringIO(text + space * 2**19))


def test_obo__a_line_that_goes_on_and_on():
    n = 2**19
    text = "[Term]\nid: a\nname: " + "ab\\\n" * n
    assert parse_obo(text).names == ("ab" * n,)
    assert parse_obo(text + "c\nis_a: b\n").names == ("ab" * n + "c", None)
    with pytest.raises(ParseError) as caught:
        parse_obo(text + "c\nodd\n")
    assert caught.value.line == n + 4


# ---------------------------------------------------------------------- archives


def tar_of(*members, mode="w", format=tarfile.PAX_FORMAT):
    """A tar of (name, content). A TarInfo is taken as it is."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode, format=format) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


NODES = b"1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tgenus\t|\n"
TAR = tar_of(("a.txt", b"x" * 700), ("taxdump/nodes.dmp", NODES))


def contents(found):
    return [(name, read()) for name, read in found]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar__files_in_one_pass(pack, format):
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    long = "é" * 60 + "/" + "x" * 90
    content = pack(tar_of(("a.txt", b"x" * 700), (link, b""), (long, b""), format=format))
    for given_as in (content, io.BytesIO(content)):
        assert contents(tar_members(given_as, "t")) == [("a.txt", b"x" * 700), (long, b"")]


@pytest.mark.parametrize(
    "content", [b"", b"(a,b);", bytes(10240), b"\x1f\x8bno", gzip.compress(b"(a,b);", mtime=0), b"PK\x03\x04"]
)
def test_tar__what_is_none(content):
    assert tar_members(content, None) is None


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_tar__cut_off_anywhere(pack):
    end = len(TAR.rstrip(b"\0")) // 512 * 512 + 512
    for stop in [*range(300, end + 1, 37), 512, 1024, 1536, 2048, 2560, end]:
        with pytest.raises(ParseError, match="damaged tar file"):
            contents(tar_members(pack(TAR[:stop]), "t"))
        with pytest.raises(ParseError, match="damaged tar file"):
            read_taxdump(io.BytesIO(pack(TAR[:stop])), labels="id")
    packed = pack(TAR)
    with pytest.raises(ParseError, match="damaged"):
        read_taxdump(io.BytesIO(packed[: len(packed) - (len(TAR) - end if pack is bytes else 20)]), labels="id")


def test_tar__a_damaged_header_does_not_end_the_archive():
    at = TAR.index(b"taxdump/nodes.dmp")
    with pytest.raises(ParseError, match="damaged tar file"):
        contents(tar_members(TAR[:at] + b"X" + TAR[at + 1 :], "t"))


def header(name, size, type=tarfile.REGTYPE):
    """The block of a member that says to be of some size."""
    info = tarfile.TarInfo(name)
    info.size, info.type = size, type
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_tar__a_sparse_file_has_the_size_that_it_unpacks_to(pack, monkeypatch):
    monkeypatch.setattr(_packed, "unpacked_limit", lambda: 10_000_000)
    block = bytearray(header("nodes.dmp", 512, tarfile.GNUTYPE_SPARSE))
    block[386:398], block[398:410] = b"00000000000\0", b"00000000012\0"
    block[483:495] = b"77777777777\0"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    content = pack(bytes(block) + NODES.ljust(512, b"\0") + bytes(1024))
    with pytest.raises(LimitExceededError, match="nodes.dmp unpacks .tar. to more than 10,000,000 bytes"):
        read_taxdump(io.BytesIO(content), labels="id")


@pytest.mark.parametrize("size", [2**70, 2**63, 2**40])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
def test_tar__sizes_that_cannot_be(pack, size, kind):
    content = pack(header("nodes.dmp", size, kind) + NODES.ljust(512, b"\0") + bytes(1024))
    with pytest.raises((ParseError, LimitExceededError)):
        read_taxdump(io.BytesIO(content), labels="id")


def test_tar__a_size_is_looked_at_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(_packed, "unpacked_limit", lambda: 10_000)
    content = tar_of(("nodes.dmp", bytes(20_000)))
    with pytest.raises(LimitExceededError, match="nodes.dmp unpacks .tar. to more than 10,000 bytes"):
        read_taxdump(io.BytesIO(content))
    packed = gzip.compress(tar_of(("other", bytes(50_000)), ("nodes.dmp", NODES)))
    with pytest.raises(LimitExceededError):
        read_taxdump(io.BytesIO(packed))
    packed = gzip.compress(tar_of(("other", bytes(30_000)), ("nodes.dmp", NODES)))
    assert read_taxdump(io.BytesIO(packed), labels="id").n_leaves == 1


def test_tar__a_bomb_is_refused_by_its_ratio(monkeypatch):
    monkeypatch.setattr(_packed, "RATIO_FROM", 1_000_000)
    for members in ([("nodes.dmp", bytes(20_000_000))], [("other", bytes(20_000_000)), ("nodes.dmp", NODES)]):
        with pytest.raises(LimitExceededError, match="unpacks .tar. to more than .*, as no table or tree does"):
            read_taxdump(io.BytesIO(gzip.compress(tar_of(*members))), labels="id")
    assert read_taxdump(io.BytesIO(tar_of(*members)), labels="id").n_leaves == 1  # not packed


@given(st.integers(0, len(TAR)), st.integers(0, 600), st.binary(max_size=20))
def test_tar__any_change(at, cut, change):
    content = TAR[:at] + change + TAR[at + cut :]
    try:
        found = tar_members(content, None)
        assert found is None or all(isinstance(x, bytes) for _, x in contents(found))
    except TripletreeError:
        pass


def zip_of(*members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def test_zip__a_member_without_a_name():
    content = bytearray(zip_of(("q", b"abc")))
    at = content.index(b"PK\x01\x02")
    content[at + 28 : at + 30] = struct.pack("<H", 0)
    del content[at + 46]
    end = content.index(b"PK\x05\x06")
    content[end + 12 : end + 16] = struct.pack("<I", end - at)
    with pytest.raises(ParseError, match="damaged zip file: it holds a file without a name"):
        read_bytes(io.BytesIO(bytes(content)))


def test_zip__a_member_that_stands_nowhere():
    content = bytearray(zip_of(("q", b"abc")))
    at = content.index(b"PK\x01\x02")
    for place in (at + 90, len(content) - 5, 2**32 - 2):
        content[at + 42 : at + 46] = struct.pack("<I", place)
        with pytest.raises(ParseError, match="damaged zip file"):
            read_bytes(io.BytesIO(bytes(content)))


@given(st.integers(0, 130), st.integers(0, 4), st.binary(max_size=4))
def test_zip__any_change(at, cut, change):
    content = zip_of(("q", b"abc"))
    with contextlib.suppress(TripletreeError):
        read_bytes(io.BytesIO(content[:at] + change + content[at + cut :]))


PACKINGS = [gzip.compress, bz2.compress, lzma.compress, lambda x: zip_of(("a", x))]


@pytest.mark.parametrize("outer", PACKINGS)
@pytest.mark.parametrize("inner", PACKINGS)
def test_files__packed_twice(outer, inner):
    with pytest.raises(ParseError, match="packed twice.*unpack it once"):
        read_bytes(io.BytesIO(outer(inner(b"(a,b);"))))


def test_files__text_that_begins_as_bzip2_does_is_text():
    assert read_text(io.BytesIO(b"BZhang"))[0] == "BZhang"
    assert read_text(io.BytesIO(gzip.compress(b"BZhang")))[0] == "BZhang"


# ---------------------------------------------------------------------- tables that are all of one thing

#: Readers of text in rows and columns, which ask in many ways what a column or a cell may be.
TABLE_READERS = [
    *(read_triplets, read_pairs, read_answers, read_comparisons, read_odd_one_out),
    *(read_annotations, read_edges, read_lineages, read_hierarchy),
]
N = 100_000
ALIKE = {
    "a number": "(a:" + "1" * N + ",b:1);",
    "one long name": "a" * N + ",b,c,odd\nx,y,z,x\n",
    "one long cell": "a,b,c,odd\nx,y,z," + "a" * N + "\n",
    "blanks": "a,b,c\nx," + " \t" * N + ",z\n",
    "columns without names": "," * N + "\n",
    "columns with names": ",".join(f"c{i}" for i in range(N // 2)) + "\n" + "x," * (N // 2 - 1) + "y\n",
    "columns of ids": ",".join(f"id_{i}" for i in range(16_000)) + "\n" + ",".join(map(str, range(16_000))) + "\n",
    "keys of JSON": "{" + ",".join(f'"k{i}": {i}' for i in range(16_000)) + "}",
    "too many keys of JSON": "[{" + ",".join(f'"k{i}": "v{i}"' for i in range(N)) + "}]",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", ALIKE)
@pytest.mark.parametrize("read", TABLE_READERS, ids=lambda x: x.__name__)
@pytest.mark.filterwarnings("ignore")
def test_tables__all_of_one_thing_is_read_or_refused_soon(read, text):
    with contextlib.suppress(TripletreeError):
        read(io.StringIO(ALIKE[text]))


@pytest.mark.parametrize("read", TABLE_READERS[:5], ids=lambda x: x.__name__)
def test_tables__records_each_with_a_key_of_its_own(read):
    for form in ("[{}]", "{}"):
        between = ",\n" if form[0] == "[" else "\n"
        text = form.replace("{}", between.join(f'{{"k{i}": 1}}' for i in range(10_000)))
        with pytest.raises(LimitExceededError, match=r"unpacks \(JSON\) .* give all records the same keys"):
            read(io.StringIO(text))


def test_tables__what_stands_around_records_is_not_copied_without_end():
    around = "".join(f'"k{i}": {i}, ' for i in range(3_000))
    text = f'{{{around}"trials": [{", ".join(["{}"] * 3_000)}]}}'
    with pytest.raises(LimitExceededError, match=r"unpacks \(JSON\)"):
        read_answers(io.StringIO(text))


def test_tables__have_no_more_columns_than_in_excel():
    text = ",".join(f"c{i}" for i in range(16_385)) + "\n" + "x," * 16_384 + "y\n"
    for read in (read_answers, read_comparisons, read_annotations):
        with pytest.raises(ParseError, match="16,385 columns, more than the 16,384 that a table may have"):
            read(io.StringIO(text))


def test_tables__an_error_names_some_of_many_columns():
    text = json.dumps([{f"c{i}": "x" for i in range(3_000)}])
    for read in (read_triplets, read_answers, read_comparisons):
        with pytest.raises(ParseError, match="'c0', 'c1', .*'c19' and 2,980 more") as caught:
            read(io.StringIO(text))
        assert len(str(caught.value)) < 1_000


# ---------------------------------------------------------------------- Parquet


def parquet_of(**columns):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), stream, compression="none")
    return stream.getvalue()


def saved(tmp_path, content):
    (tmp_path / "x.parquet").write_bytes(content)
    return tmp_path / "x.parquet"


def edges_and_triplets(tmp_path, odd):
    """Both readers of Parquet, with an odd cell in row 2 or as the odd column says."""
    yield read_edges, saved(tmp_path, parquet_of(child=odd, parent=["r", "r"]))
    yield read_triplets, saved(tmp_path, parquet_of(a=["w", "x"], b=odd, c=["y", "z"]))


def test_parquet__many_rows_in_few_bytes(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    n = 5_000_000
    numbers = pyarrow.array(np.zeros(n, np.int8))
    equal = {x: pyarrow.DictionaryArray.from_arrays(numbers, pyarrow.array([x])) for x in "abc"}
    counted = {"child": np.arange(n), "parent": np.arange(n) // 2}
    long = {x: ["x" * 20_000] * 5_000 for x in ("child", "parent")}
    steps = {
        "use_dictionary": False,
        "column_encoding": {"child": "DELTA_BINARY_PACKED", "parent": "DELTA_BINARY_PACKED"},
    }
    for read, table, more in [(read_triplets, equal, {}), (read_edges, counted, steps), (read_edges, long, {})]:
        path = tmp_path / "x.parquet"
        parquet.write_table(pyarrow.table(table), path, compression="zstd", **more)
        assert path.stat().st_size < 70_000
        with pytest.raises(LimitExceededError, match=r"x\.parquet unpacks \(Parquet\) .* and hand over the frame"):
            read(path)


def test_parquet__dates_beyond_python(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    for read, path in edges_and_triplets(tmp_path, pyarrow.array([1, 2**60], pyarrow.timestamp("us"))):
        with pytest.raises(ParseError, match=r"x\.parquet: the column '(child|b)' cannot be read"):
            read(path)


@pytest.mark.parametrize("kind", ["list", "struct", "map", "binary"])
def test_parquet__cells_that_are_no_labels(tmp_path, kind):
    pyarrow = pytest.importorskip("pyarrow")
    odd = {
        "list": pyarrow.array([None, ["p"]]),
        "struct": pyarrow.array([None, {"p": 1}]),
        "map": pyarrow.array([None, [("p", 1)]], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
        "binary": pyarrow.array([None, b"p"]),
    }[kind]
    holds = {"struct": "dict", "map": "list", "binary": "bytes"}.get(kind, kind)
    for read, path in edges_and_triplets(tmp_path, odd):
        with pytest.raises(ParseError, match=rf"x\.parquet: row 2, column '(child|b)': a cell holds {holds}"):
            read(path)


def test_parquet__text_that_is_no_utf8(tmp_path):
    names = parquet_of(childQQQ=["a", "b"], parent=["r", "r"], a=["a", "a"], b=["b", "b"], c=["c", "c"])
    cells = parquet_of(child=["aQQQ", "b"], parent=["r", "r"], a=["aQQQ", "a"], b=["b", "b"], c=["c", "c"])
    for content in (names, cells):
        path = saved(tmp_path, content.replace(b"QQQ", b"\xff\xfe\xff"))
        for read in (read_edges, read_triplets):
            with pytest.raises(ParseError, match=r"x\.parquet"):
                read(path)


def test_parquet__damaged_anywhere(tmp_path):
    content = parquet_of(child=["a", "b"], parent=["r", "r"], a=["a", "a"], b=["b", "b"], c=["c", "d"])
    for at in range(4, len(content), 5):
        for change in (b"\xff\xff\xff", b""):
            broken = content[:at] + change + content[at + 3 :]
            for read in (read_edges, read_triplets):
                try:
                    read(io.BytesIO(broken))
                except TripletreeError as error:
                    assert "<string>" not in str(error)  # noqa: PT017


def test_parquet__metadata_that_are_no_leaves(tmp_path):
    path = tmp_path / "x.parquet"
    pytest.importorskip("pyarrow")
    write_triplets(TripletSet.from_labels([("x", "y", "zz")]), path)
    content = path.read_bytes()
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for kept in (b"[", b"\xff", b"5", b'[1, "x"]', b"[true]", b"[" * 100_000):
        table = parquet.read_table(io.BytesIO(content))
        stream = io.BytesIO()
        parquet.write_table(table.replace_schema_metadata({b"tripletree.leaves": kept}), stream)
        with pytest.raises(ParseError, match="metadata: tripletree.leaves must hold"):
            read_triplets(io.BytesIO(stream.getvalue()), format="parquet")
    assert pyarrow is not None


def test_frames__numbers_that_cannot_be_compared():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"child": ["a", decimal.Decimal("sNaN")], "parent": ["r", "r"]})
    with pytest.raises(ParseError, match="<data frame>: row 2, column 'child': a cell holds Decimal"):
        read_edges(frame)


# ---------------------------------------------------------------------- standard streams


def test_files__closed_standard_streams(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ParseError, match="<standard input>: it is closed"):
        raw_bytes("-")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError, match="the standard output is closed"), write_atomic("-"):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_files__standard_input_closed_by_the_shell():
    code = "from tripletree.io.newick import read_newick; read_newick('-')"
    run = subprocess.run(
        ["sh", "-c", '"$0" -c "$1" <&-', sys.executable, code], capture_output=True, text=True, check=False
    )
    assert "ParseError: <standard input>: it is closed" in run.stderr


# ---------------------------------------------------------------------- characters that are none


def test_files__half_pairs_are_refused_where_they_are_read():
    for half in ("\ud800", "\udfff", "\udce9"):
        with pytest.raises(ParseError, match="half of a surrogate pair") as caught:
            read_newick(io.StringIO(f"(a,\nb{half});"))
        assert (caught.value.line, caught.value.column) == (2, 2)
    assert read_text(io.StringIO("\U0001f600"))[0] == "\U0001f600"


@pytest.mark.parametrize("half", [r"\ud800", r"\uDFFF", r"\ud83d\ud83d\ude00", r"\ude00\ud83d", r"\ud83d\\ude00"])
def test_json__half_pairs_in_strings(half):
    for text in (f'["a",\n "x{half}"]', f'{{"a": null,\n "x{half}": null}}'):
        with pytest.raises(ParseError, match="half of a surrogate pair") as caught:
            read_json(io.StringIO(text))
        assert (caught.value.line, caught.value.column) == (2, 2)


def test_json__whole_pairs_and_escaped_backslashes():
    text = r'["\ud83d\ude00", "\\ud800", "\ud83d\ude00\ud83d\ude00", "\\\\uDC00"]'
    assert list(read_json(io.StringIO(text)).leaves) == ["\U0001f600", r"\ud800", "\U0001f600" * 2, r"\\uDC00"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_files__utf16_without_its_mark(encoding):
    for read, text in ((read_newick, "(a,b);"), (read_edges, "child,parent\na,r\n"), (read_triplets, "a b | c")):
        with pytest.raises(ParseError, match="NUL characters: this looks like UTF-16.*save it as UTF-8"):
            read(io.BytesIO(text.encode(encoding)))
    with pytest.raises(ParseError, match="this looks like UTF-16"):
        read_obo(io.BytesIO("[Term]\nid: a\n".encode(encoding)))
    assert read_text(io.BytesIO(b"('a label with one \0 in it',b);"))[0].count("\0") == 1


# ---------------------------------------------------------------------- each format's costliest file

RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#" '
    'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">'
)


def lines_of(line, size):
    """As many lines as the size has room for."""
    return "".join(line.format(i, i + 1) for i in range(size // len(line.format(9999, 9999))))


#: For each format of the registry a file of some size: deep, or of many small things.
COSTLY = {
    "newick": lambda n: "(" * (n // 2) + "a" + ")" * (n // 2) + ";",
    "nexus": lambda n: f"#NEXUS\nbegin trees;\ntree t = {'(' * (n // 2)}a{')' * (n // 2)};\nend;\n",
    "phyloxml": lambda n: (
        f"<phyloxml><phylogeny>{'<clade>' * (n // 15)}<name>a</name>{'</clade>' * (n // 15)}</phylogeny></phyloxml>"
    ),
    "nexml": lambda n: (
        '<nex:nexml xmlns:nex="http://www.nexml.org/2009"><otus id="o">'
        + lines_of('<otu id="t{}"/>', n // 3)
        + '</otus><trees otus="o"><tree id="a"><node id="n0"/>'
        + lines_of('<node id="n{1}" otu="t{0}"/><edge source="n0" target="n{1}"/>', 2 * n // 3)
        + "</tree></trees></nex:nexml>"
    ),
    "owl": lambda n: RDF + lines_of('<owl:Class rdf:about="#{}"/>', n) + "</rdf:RDF>",
    "icd": lambda n: (
        "<ICD10CM.tabular><chapter><name>1</name><desc>d</desc>"
        + lines_of("<diag><name>A{}</name><desc>d</desc></diag>", n)
        + "</chapter></ICD10CM.tabular>"
    ),
    "dot": lambda n: f"digraph {{{{{lines_of('a{};', n // 2)}}} -> {{{lines_of('b{};', n // 2)}}}}}",
    "obograph": lambda n: json.dumps(
        {
            "graphs": [
                {
                    "nodes": [{"id": f"X:{i}", "lbl": f"x{i}", "type": "CLASS"} for i in range(n // 150)],
                    "edges": [{"sub": f"X:{i}", "pred": "is_a", "obj": f"X:{i // 3}"} for i in range(1, n // 100)],
                }
            ]
        }
    ),
    "json": lambda n: '{"name":"a","children":[{"name":"b"}' + lines_of(',{{"name":"c{}"}}', n) + "]}",
    "obo": lambda n: "format-version: 1.2\n\n[Term]\nid: a\n" + lines_of("is_a: x{}\n", n),
    "wordnet": lambda n: (
        "00000000 03 n 01 entity 0 000 | y\n" + lines_of("{1:08} 03 n 01 w{1} 0 001 @ {0:08} n 0000 | y\n", n)
    ),
    "taxdump": lambda n: "0\t|\t0\t|\tno rank\t|\n" + lines_of("{1}\t|\t{0}\t|\tno rank\t|\n", n),
    "lineages": lambda n: ";".join(f"r{i}" for i in range(n // 6)) + "\n",
    "edges": lambda n: "child,parent\n" + lines_of("x{},x{}\n", n),
    "codes": lambda n: "code,name\n1,a\n" + lines_of("1.{0},x{0}\n", n),
    "linkage": lambda n: "".join(f"{n // 20 + i if i else 0} {i + 1} {i} {i + 2}\n" for i in range(n // 20)),
    "folder": None,  # a folder of folders, made below
}


def costly(name, size, folder):
    """The path of a format's costliest file."""
    if COSTLY[name] is None:
        for k in range(size // 100):
            (folder / f"a{k}").mkdir()
        return folder
    path = folder / ("nodes.dmp" if name == "taxdump" else "file")
    path.write_text(COSTLY[name](size), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.filterwarnings("ignore")
def test_formats__none_takes_more_memory_than_its_size_explains(name, tmp_path):
    size, form = 20_000, FORMATS[name]
    path = costly(name, size, tmp_path)
    tracemalloc.start()
    with contextlib.suppress(TripletreeError):
        (form.read or form.ontology)(path, **({"labels": "id"} if name == "taxdump" else {}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 * size


def test_formats__each_has_a_row_in_the_table_of_costly_files():
    page = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(rows) == sorted(FORMATS) == sorted(COSTLY)
