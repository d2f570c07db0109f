"""Each writer on a full disk and in a read-only place: one error that names the file, and nothing half written."""

import ctypes
import errno
import importlib
import inspect
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import tripletree as tt
from tripletree.ask.address import keep_address
from tripletree.cluster import ReCon
from tripletree.core import Answer, AnswerSet
from tripletree.datasets import sample_path
from tripletree.io import (
    append_answer,
    append_undo,
    export_answers,
    forget_person,
    write_answers,
    write_edges,
    write_json,
    write_lineages,
    write_linkage,
    write_newick_all,
    write_nexus,
    write_nexus_all,
    write_obo,
)
from tripletree.io.source import write_folder
from tripletree.plots import plot_dendrogram, save_picture, write_itol

resource = pytest.importorskip("resource", reason="limits of POSIX")

H = tt.read_hierarchy(sample_path("primates"))
TREE = tt.parse_newick("(((a:1,b:1)ab:1,c:2)abc:1,d:3)abcd;")
ONE = Answer(("cat", "eel", "dog"), "odd", "eel", who="anna")
GIVEN = AnswerSet([ONE, Answer(("a", "b"), "alike", who="ben"), Answer(("a", "b", "c"), "odd", "a", who="ben")])
PAIRS = tt.PairwiseConstraints.from_labels([("a", "b")], [("a", "c")])
TERMS = tt.Ontology(["a", "b", "c"], [(1, 0), (2, 0)])
X = np.random.default_rng(0).normal(size=(6, 2))
LOG, RUNS = "x.jsonl", "x.runs"


def draw(path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1))
    plot_dendrogram(TREE, ax=figure.add_subplot())
    save_picture(figure, path, text="path", dpi=50)


def compare(path):
    data = [("six", X, [0, 0, 0, 1, 1, 1])]
    tt.compare_methods({"recon": ReCon(n_clusters=2)}, data, knowledge="pairs", amount=2, n_draws=2, path=path)


def strip(folder):
    write_itol(H, folder, clusters=dict.fromkeys(H.leaves, "one"))


REPORT = tt.report(X[:4], hierarchy=TREE, sample_names=list("abcd"))
#: By the name of each writer: the name of the file (or the folder) that it takes, and a call that writes it.
WRITERS = {
    "write_hierarchy": [("x.nwk", lambda p: tt.write_hierarchy(H, p)), ("x.json", lambda p: tt.write_hierarchy(H, p))],
    "write_html": [("x.html", lambda p: tt.write_html(H, p))],
    "write_knowledge": [("x.json", lambda p: tt.write_knowledge(tt.Knowledge.of(list("abc"), pairs=PAIRS), p))],
    "write_newick": [(f"x.nwk{end}", lambda p: tt.write_newick(H, p)) for end in ("", ".gz", ".bz2", ".xz")],
    "write_pairs": [
        ("x.csv", lambda p: tt.write_pairs(PAIRS, p)),
        ("x.parquet", lambda p: tt.write_pairs(PAIRS, p, format="parquet")),
    ],
    "write_triplets": [
        ("x.csv", lambda p: tt.write_triplets(tt.decompose(H), p)),
        ("x.parquet", lambda p: tt.write_triplets(tt.decompose(H), p, format="parquet")),
    ],
    "write_answers": [(LOG, lambda p: write_answers(AnswerSet([ONE]), p))],
    "write_edges": [("x.tsv", lambda p: write_edges(TREE, p))],
    "write_json": [("x.json", lambda p: write_json(H, p))],
    "write_lineages": [("x.txt", lambda p: write_lineages(TREE, p))],
    "write_linkage": [("x.csv", lambda p: write_linkage(TREE, p)), ("x.npy", lambda p: write_linkage(TREE, p))],
    "write_newick_all": [("x.nwk", lambda p: write_newick_all([H, TREE], p))],
    "write_nexus": [("x.nex", lambda p: write_nexus(H, p))],
    "write_nexus_all": [("x.nex", lambda p: write_nexus_all({"one": H, "two": TREE}, p))],
    "write_obo": [("x.obo", lambda p: write_obo(TERMS, p))],
    "save_picture": [(f"x.{kind}", draw) for kind in ("svg", "png", "jpg", "tiff")],
    "write_itol": [("folder/", strip)],
    "export_answers": [("folder/", lambda p: export_answers(GIVEN, p))],
    "append_answer": [(LOG, lambda p: append_answer(p, ONE))],
    "append_undo": [(LOG, lambda p: append_undo(p, "anna"))],
    "forget_person": [(LOG, lambda p: forget_person(p, "anna"))],
    "compare_methods": [(RUNS, compare)],
    "Report.write_html": [("x.html", lambda p: REPORT.write_html(p))],
    "keep_address": [("x-address.txt", lambda p: keep_address(Path(p).with_name("x.csv"), "http://127.0.0.1:1/x/"))],
}
CASES = [pytest.param(of, name, write, id=f"{of}-{name}") for of, calls in WRITERS.items() for name, write in calls]
#: Writers of files to which lines are added. A new one may stay, empty: another program may wait for its lock.
ADDERS = {"append_answer", "append_undo", "compare_methods"}
WORDS = ("write", "save", "append", "export", "forget", "keep", "dump")


def test_every_public_writer_is_here():
    rooms = "", ".io", ".plots", ".reports", ".knowledge", ".ask", ".evaluation", ".core", ".cluster", ".datasets"
    found = set()
    for room in (importlib.import_module(f"tripletree{x}") for x in rooms):
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isclass(thing):
                found |= {f"{name}.{x}" for x in vars(thing) if x.split("_")[0] in WORDS}
            elif name.split("_")[0] in WORDS:
                found.add(name)
            elif inspect.isfunction(thing) and not name.startswith(("read_", "recognize")):
                found |= {name for x in inspect.signature(thing).parameters if x in ("path", "folder", "target")}
    assert found == WRITERS.keys() - {"keep_address"}


# ---------------------------------------------------------------------- what is looked at


def contents(folder):
    return {str(x.relative_to(folder)): x.read_bytes() for x in sorted(folder.rglob("*")) if x.is_file()}


def left_by_an_earlier_run(folder, name, write):
    """Make files at the places that are written, with another content."""
    path = folder / name
    if name.endswith("/"):
        write(path)
        for file in path.iterdir():
            file.write_text("earlier\n")
    elif name == LOG:
        write_answers(GIVEN, path)
    elif name == RUNS:
        compare(path)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(lines[0] + lines[1][:7])  # and half a line
    else:
        path.write_text("earlier\n")


def check_refused(write, path):
    """Check that an OSError comes up that names a file which was to be written."""
    before = contents(path.parent)
    with pytest.raises(OSError) as found:  # noqa: PT011  the name and the reason are looked at
        write(str(path))
    error = found.value
    assert error.filename is not None, error
    assert Path(error.filename) == path or Path(error.filename).parent in (path, path.parent), error
    assert error.strerror
    assert ".tmp" not in str(error)
    return error, before


@contextmanager
def limited(size):
    """Let no file grow beyond a size, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def whole_lines(content):
    return content[: content.rfind(b"\n") + 1]


# ---------------------------------------------------------------------- attacks


@pytest.mark.parametrize("there", [False, True], ids=["new", "earlier"])
@pytest.mark.parametrize(("of", "name", "write"), CASES)
def test_a_disk_that_is_full_after_any_number_of_bytes(of, name, write, there, tmp_path):
    free = tmp_path / "free"
    there = there or of == "forget_person"
    for folder in (free, tmp_path / "full"):
        folder.mkdir()
        if there:
            left_by_an_earlier_run(folder, name, write)
    start = max((len(whole_lines(x)) for x in contents(free).values()), default=0) if of in ADDERS else 0
    write(str(free / name))
    most = max(map(len, contents(free).values()))
    last = most - 9 if of == "compare_methods" else most - 1  # seconds have more digits at one time than at another
    for limit in sorted({start, start + 1, (start + most) // 2, last}):
        with limited(limit):
            error, before = check_refused(write, tmp_path / "full" / name)
        assert error.errno in (errno.EFBIG, errno.ENOSPC)
        after = contents(tmp_path / "full")
        if of in ADDERS:  # whole lines may be added before the one that fails, half a line of before may go
            assert whole_lines(after.get(name, b"")) == after.get(name, b"")
            assert after.get(name, b"").startswith(whole_lines(before.get(name, b"")))
            assert after.keys() <= {name}
        else:
            assert after == before, limit
            assert there or not name.endswith("/") or not (tmp_path / "full" / name).exists()
    write(str(tmp_path / "full" / name))
    assert max(map(len, contents(tmp_path / "full").values())) == most or of == "compare_methods"


@pytest.mark.parametrize(("of", "name", "write"), [x for x in CASES if x.values[0] in ADDERS])
def test_a_line_that_does_not_reach_the_disk_is_taken_back(of, name, write, tmp_path, monkeypatch):
    left_by_an_earlier_run(tmp_path, name, write)
    before = whole_lines((tmp_path / name).read_bytes())

    def fail(_descriptor):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        check_refused(write, tmp_path / name)
    assert (tmp_path / name).read_bytes() == before
    write(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(before)


@contextmanager
def unprivileged():
    """Be a user who may not write where the permissions say so: root is, without one of its capabilities.

    Another user would not do. The package itself may lie where only root can read it.
    """
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("only Linux takes one capability from root")
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # capabilities(7): version 3, this thread
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice 32 bits
    assert libc.capget(header, sets) == 0, os.strerror(ctypes.get_errno())
    effective = sets[0]
    sets[0] &= ~(1 << 1)  # CAP_DAC_OVERRIDE
    assert libc.capset(header, sets) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        sets[0] = effective
        assert libc.capset(header, sets) == 0, os.strerror(ctypes.get_errno())


@pytest.mark.parametrize("closed", ["file", "folder"])
@pytest.mark.parametrize(("of", "name", "write"), CASES)
def test_a_place_that_may_not_be_written(of, name, write, closed, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    left_by_an_earlier_run(place, name, write)
    for path in place.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    # a folder that is open, with files that are not
    inner = place / name if name.endswith("/") else place
    inner.chmod(0o777 if closed == "file" else 0o555)
    with unprivileged():
        error, before = check_refused(write, place / name)
    assert error.errno == errno.EACCES
    assert contents(place) == before


def test_a_folder_whose_last_file_cannot_take_its_place(tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "a").write_text("earlier")
    with pytest.raises(IsADirectoryError, match="in the place of a folder"):
        write_folder(tmp_path, {"a": "1", "b": "2", "c": "3"})
    assert contents(tmp_path) == {"a": b"earlier"}
    assert [x.name for x in write_folder(tmp_path, {"a": "1", "b": "2"})] == ["a", "b"]
    assert contents(tmp_path) == {"a": b"1", "b": b"2"}


def test_an_address_is_for_this_user_alone(tmp_path):
    path = tmp_path / "x-address.txt"
    for mode in (None, 0o644):
        if mode is not None:
            path.chmod(mode)
        keep_address(tmp_path / "x.csv", "http://127.0.0.1:1/abcdefghijklmnopqr/")
        assert path.stat().st_mode & 0o777 == 0o600


def test_half_a_run_of_a_killed_comparison_is_run_again(tmp_path):
    path = tmp_path / RUNS
    left_by_an_earlier_run(tmp_path, RUNS, compare)
    half = path.read_bytes()
    compare(path)
    assert path.read_bytes().startswith(whole_lines(half))
    assert len(path.read_bytes().splitlines()) == 2


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(
    ("write", "value", "suffixes"),
    [
        (tt.write_triplets, tt.TripletSet.from_labels([("a", "b", "c")]), ".xlsx .json .ods .pkl"),
        (tt.write_pairs, tt.PairwiseConstraints.from_labels([("a", "b")], []), ".xlsx .JSON .jsonl .npz"),
        (tt.io.write_edges, tt.parse_newick("((a,b)x,c)y;"), ".xlsx .json .xml"),
        (tt.write_knowledge, tt.Knowledge.of(pairs=([("a", "b")], [])), ".xlsx .csv .tsv .parquet .triplets"),
    ],
    ids=["triplets", "pairs", "edges", "knowledge"],
)
def test_a_file_called_as_one_of_another_format_is_not_written(write, value, suffixes, packed, tmp_path):
    for suffix in suffixes.split():
        with pytest.raises(ValueError, match=rf"is not written as \{suffix.lower()}; it is written as"):
            write(value, tmp_path / f"file{suffix}{packed}")
    assert not list(tmp_path.iterdir())
    write(value, tmp_path / "file.txt")
