"""Opening sources and replacing targets: packed files, encodings, streams, and failures half-way."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import sys
import tempfile
import threading
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.errors import LimitExceededError, ParseError, TripletreeError
from tripletree.io import source as _packed
from tripletree.io.source import raw_bytes, read_bytes, read_text, write_atomic, write_atomic_bytes

TEXT = "été\r\n(a,b);\n"


def zipped(*files, method=zipfile.ZIP_DEFLATED):
    """A zip archive of (name, content). A name that ends in / is a folder."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()


def zip_of_one(content):
    return zipped(("folder/", b""), ("folder/any name", content), ("__MACOSX/folder/._any name", b"x"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zip_of_one])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_files__unpacked_by_their_first_bytes(tmp_path, pack, bom):
    path = tmp_path / "any name"
    content = pack(bom + TEXT.encode())
    path.write_bytes(content)
    assert read_text(path) == (TEXT, str(path))
    assert read_text(str(path))[0] == TEXT
    assert read_text(io.BytesIO(content)) == (TEXT, "<stream>")
    with path.open("rb") as stream:
        assert read_text(stream) == (TEXT, str(path))


def test_files__text_streams_and_standard_input(monkeypatch):
    assert read_text(io.StringIO("\ufeffx"))[0] == "x"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT.encode())), encoding="ascii"))
    assert read_text("-") == (TEXT, "<standard input>")


@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        (b"abc\nd\xe9f", 2, 2, r"byte 0xe9 is not UTF-8 text \(byte 6 of the file\)"),
        (b"\xef\xbb\xbfab\xff", 1, 3, "byte 0xff is not UTF-8"),
        ("é\r\nxé".encode() + b"\xc3", 2, 3, "byte 0xc3"),
        ("text".encode("utf-16"), 1, 1, "UTF-16 text"),
        (gzip.compress(b"abc" * 100, mtime=0)[:-9], None, None, "damaged gzip file"),
        (bz2.compress(b"abc" * 100)[:-9], None, None, "damaged bzip2 file"),
        (lzma.compress(b"abc" * 100)[:-9], None, None, "damaged xz file"),
        (b"\x1f\x8bnot really", None, None, "damaged gzip file"),
        (gzip.compress(b"abc") + b"rest", None, None, "damaged gzip file"),
        (zipped(("a", b"abc" * 100))[:-9], None, None, "damaged zip file"),
        (
            zipped(("a", b"abc"), method=zipfile.ZIP_STORED).replace(b"abc", b"abd"),
            None,
            None,
            "damaged zip file: Bad CRC",
        ),
        (zipped(), None, None, "a zip archive without a file in it"),
        (zipped(("a/", b"")), None, None, "a zip archive without a file in it"),
        (
            zipped(("a", b""), ("b/c", b"")),
            None,
            None,
            "a zip archive with 2 files where one is expected: 'a', 'b/c'; unpack",
        ),
        (zipped(("aa", b"x"), ("ab", b"y")).replace(b"ab", b"aa"), None, None, "it holds 'aa' twice"),
    ],
    ids=range(15),  # the contents hold times
)
def test_files__bytes_that_are_no_text(content, line, column, message):
    with pytest.raises(ParseError, match=message) as error:
        read_text(io.BytesIO(content))
    assert (error.value.line, error.value.column) == (line, column)


def test_files__text_stream_opened_with_another_encoding(tmp_path):
    path = tmp_path / "latin"
    path.write_bytes(b"\xe9")
    with path.open(encoding="ascii") as stream, pytest.raises(ParseError, match="not ascii text"):
        read_text(stream)


def test_files__sources_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_text(tmp_path / "missing")
    with pytest.raises(FileNotFoundError, match="looks like the text itself"):
        read_text("(a,b);" * 1000)
    with pytest.raises(IsADirectoryError):
        read_text(tmp_path)
    with pytest.raises(TypeError, match="expected a path.*not int"):
        read_text(3)
    with pytest.raises(TypeError, match="expected a path.*not int"), write_atomic(3):
        pass


@pytest.mark.parametrize(("suffix", "unpack"), [("", bytes), (".gz", gzip.decompress), (".xz", lzma.decompress)])
def test_files__written_and_packed_by_suffix(tmp_path, suffix, unpack):
    contents = []
    for name in ("one", "two"):
        path = tmp_path / (name + suffix)
        with write_atomic(path) as stream:
            stream.write(TEXT)
        contents.append(path.read_bytes())
    assert unpack(contents[0]) == TEXT.encode()
    assert contents[0] == contents[1], "no time and no name inside"
    assert sorted(os.listdir(tmp_path)) == ["one" + suffix, "two" + suffix]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2"])
@pytest.mark.parametrize("there", [True, False])
def test_files__a_failure_leaves_everything_as_it_was(tmp_path, failure, suffix, there):
    path = tmp_path / ("file" + suffix)
    if there:
        path.write_bytes(b"old")

    def write_and_fail():
        with write_atomic(path) as stream:
            stream.write("new" * 100_000)
            raise failure

    with pytest.raises(failure):
        write_and_fail()
    assert [p.read_bytes() for p in tmp_path.iterdir()] == ([b"old"] if there else [])


def test_files__what_cannot_be_encoded_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(UnicodeEncodeError), write_atomic(path) as stream:
        stream.write("half a pair: \ud800")
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"]


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
def test_files__permissions_and_links_stay(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to("real")
    with write_atomic(link) as stream:
        stream.write("new")
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    old = os.umask(0o027)
    try:
        with write_atomic(tmp_path / "fresh") as stream:
            stream.write("x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640


def test_files__targets_that_cannot_be_replaced(tmp_path):
    with pytest.raises(IsADirectoryError, match="in the place of a folder"), write_atomic(tmp_path):
        pass
    with pytest.raises(FileNotFoundError, match="no such folder"), write_atomic(tmp_path / "missing" / "file"):
        pass
    with write_atomic(os.devnull) as stream:
        stream.write("x")
    assert not os.path.isfile(os.devnull)


def test_files__streams_stay_open(tmp_path, capsysbinary):
    for target in (io.StringIO(newline=""), io.BytesIO()):
        with write_atomic(target) as stream:
            stream.write(TEXT)
        assert target.getvalue() in (TEXT, TEXT.encode())
    with write_atomic("-") as stream:
        stream.write(TEXT)
    print("after")  # noqa: T201
    assert capsysbinary.readouterr().out == TEXT.encode() + b"after\n"
    with write_atomic_bytes(tmp_path / "b") as stream:
        stream.write(b"\xff")
    assert (tmp_path / "b").read_bytes() == b"\xff"
    with pytest.raises(TypeError, match="binary"), write_atomic_bytes(io.StringIO()):
        pass


def test_files__wrapped_streams(tmp_path):
    for mode, written in (("w+", TEXT), ("w+b", TEXT.encode())):
        newline = {} if "b" in mode else {"newline": "", "encoding": "utf-8"}
        with tempfile.NamedTemporaryFile(mode, dir=tmp_path, **newline) as target:
            with write_atomic(target) as stream:
                stream.write(TEXT)
            target.seek(0)
            assert target.read() == written


def test_files__a_stream_that_gives_neither_text_nor_bytes():
    class Odd:
        def read(self):
            return None

    with pytest.raises(TypeError, match="gave NoneType, not text or bytes"):
        read_text(Odd())


# ---------------------------------------------------------------------- archives that unpack to too much


def test_files__zips_are_unpacked_in_memory_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_bytes(io.BytesIO(zipped(("../../outside", b"abc")))) == (b"abc", "<stream>")
    assert read_bytes(io.BytesIO(zipped(("/etc/outside", b"abc"))))[0] == b"abc"
    assert list(tmp_path.iterdir()) == []
    packed = zipped(("a", b"abc"))
    assert raw_bytes(io.BytesIO(packed)) == (packed, "<stream>")


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz", "zip"])
def test_files__a_bomb_is_refused_while_it_unpacks(monkeypatch, tmp_path, kind):
    pack = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zip": zip_of_one}[kind]
    path = tmp_path / "bomb"
    path.write_bytes(pack(bytes(30_000_000)))
    assert path.stat().st_size < 40_000
    assert len(read_bytes(path)[0]) == 30_000_000
    monkeypatch.setattr(_packed, "unpacked_limit", lambda: 5_000_000)
    read = []
    drained = _packed.drained

    def watched(opened, packed, *rest, **more):
        stream = opened(packed)
        inner = stream.read
        stream.read = lambda size: read.append(inner(size)) or read[-1]
        return drained(lambda _: stream, packed, *rest, **more)

    monkeypatch.setattr(_packed, "drained", watched)
    with pytest.raises(LimitExceededError, match=rf"bomb unpacks \({kind}\) to more than 5,000,000 bytes") as error:
        read_bytes(path)
    assert error.value.limit == 5_000_000
    if kind != "zip":  # whose members were bound to the function before
        assert sum(map(len, read)) <= 7_000_000


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz", "zip"])
def test_files__a_bomb_is_refused_by_its_ratio(monkeypatch, kind):
    monkeypatch.setattr(_packed, "RATIO_FROM", 1_000_000)
    pack = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zip": zip_of_one}[kind]
    packed = pack(bytes(5_000_000))
    with pytest.raises(
        LimitExceededError, match=rf"unpacks \({kind}\) to more than .*, as no table or tree does"
    ) as error:
        read_bytes(io.BytesIO(packed))
    assert 1_000_000 <= error.value.limit <= max(1_000_000, 500 * len(packed))
    assert error.value.size <= error.value.limit + 2**20
    assert len(read_bytes(io.BytesIO(pack(bytes(1_000_000))))[0]) == 1_000_000
    text = "".join(f"leaf{k},node{k // 5}\n" for k in range(80_000)).encode()
    assert read_bytes(io.BytesIO(pack(text)))[0] == text


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
def test_files__little_of_a_bomb_is_unpacked(monkeypatch, kind):
    """However large the packed file is: only the part that has been read counts."""
    monkeypatch.setattr(_packed, "RATIO_FROM", 1_000_000)
    pack = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}[kind]
    whole = pack(bytes(100_000_000)) * (50 if kind != "gzip" else 1)
    with pytest.raises(LimitExceededError) as error:
        read_bytes(io.BytesIO(whole))
    assert error.value.size < 70_000_000


def test_files__a_pipe_has_a_bound(monkeypatch, tmp_path):
    os.mkfifo(tmp_path / "pipe")

    def read(content):
        writer = threading.Thread(target=write, args=(content,))
        writer.start()
        try:
            return read_bytes(tmp_path / "pipe")[0]
        finally:
            writer.join()

    def write(content):
        with contextlib.suppress(BrokenPipeError), open(tmp_path / "pipe", "wb") as stream:
            stream.write(content)

    monkeypatch.setattr(_packed, "unpacked_limit", lambda: 3_000_000)
    assert read(b"") == b""
    assert read(b"(a,b);") == b"(a,b);"
    assert read(gzip.compress(b"(a,b);")) == b"(a,b);"
    assert read(b"x" * 3_000_000) == b"x" * 3_000_000
    with pytest.raises(LimitExceededError, match="pipe is not a file and gives more than 3,000,000 bytes, .*in a file"):
        read(b"x" * 30_000_000)


def test_files__devices(monkeypatch):
    monkeypatch.setattr(_packed, "unpacked_limit", lambda: 3_000_000)
    with open("/dev/zero", "rb") as stream, pytest.raises(LimitExceededError, match="is not a file and gives more"):
        read_bytes(stream)
    with pytest.raises(LimitExceededError, match="/dev/urandom is not a file and gives more than 3,000,000 bytes"):
        read_bytes("/dev/urandom")
    assert read_bytes("/dev/null") == (b"", "/dev/null")


def test_files__the_limit_is_a_part_of_the_memory(monkeypatch):
    assert 50_000_000 < _packed.unpacked_limit() < 2**45
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}[name], raising=False)
    assert _packed.unpacked_limit() <= 1000 * 1024


@given(
    st.sampled_from(
        [gzip.compress(b"abc" * 9, mtime=0), bz2.compress(b"abc"), lzma.compress(b"abc"), zip_of_one(b"abc")]
    ),
    st.integers(0, 400),
    st.integers(0, 6),
    st.binary(max_size=4),
)
def test_files__any_change_of_a_packed_file(content, at, length, change):
    at = min(at, len(content))
    try:
        found, _ = read_bytes(io.BytesIO(content[:at] + change + content[at + length :]))
    except TripletreeError:
        return
    assert isinstance(found, bytes)
