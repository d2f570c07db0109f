"""The files below a folder as a hierarchy: order, links, empty and closed folders, limits."""

import os

import pytest

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, LimitExceededError, ParseError
from tripletree.io.folders import read_folder


def grown(root, *files):
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def test_folders__files_are_leaves_and_folders_inner_nodes(tmp_path):
    root = grown(tmp_path / "animals", "dogs/rex", "cats/tom", "cats/big/leo", "eel", ".hidden", "cats.txt")
    h = read_folder(root)
    assert list(h.leaves) == [".hidden", "cats/big/leo", "cats/tom", "cats.txt", "dogs/rex", "eel"]
    assert h == Hierarchy.from_nested(
        [".hidden", [["cats/big/leo"], "cats/tom"], "cats.txt", ["dogs/rex"], "eel"]
    )  # fmt: skip
    assert set(h.names) == {"animals", "cats", "cats/big", "dogs"}
    assert h.names[-1] == "animals"
    assert h.length is None
    by_name = read_folder(str(root), labels="name")
    assert list(by_name.leaves) == [".hidden", "leo", "tom", "cats.txt", "rex", "eel"]
    assert set(by_name.names) == {"animals", "cats", "big", "dogs"}


def test_folders__relative_and_odd_paths(tmp_path, monkeypatch):
    grown(tmp_path / "r", "a", "s/b")
    monkeypatch.chdir(tmp_path / "r")
    for path in (".", "../r", "../r/", os.fsencode(".")):
        h = read_folder(path)
        assert list(h.leaves) == ["a", "s/b"]
        assert h.names == ("s", "r")


def test_folders__the_same_name_twice(tmp_path):
    grown(tmp_path, "x/a", "y/a", "y/b")
    assert list(read_folder(tmp_path).leaves) == ["x/a", "y/a", "y/b"]
    with pytest.raises(DuplicateLeafError, match="take labels='path'") as error:
        read_folder(tmp_path, labels="name")
    assert error.value.labels == ["a"]


def test_folders__without_files(tmp_path):
    with pytest.raises(ParseError, match="no file anywhere below"):
        read_folder(tmp_path)
    (tmp_path / "empty" / "er").mkdir(parents=True)
    with pytest.raises(ParseError, match="no file anywhere below"):
        read_folder(tmp_path)
    grown(tmp_path, "x/a")
    assert read_folder(tmp_path) == Hierarchy.from_nested([["x/a"]])


def test_folders__links_are_leaves(tmp_path):
    root = grown(tmp_path / "root", "a", "s/b")
    (root / "loop").symlink_to(root)
    (root / "s" / "out").symlink_to(tmp_path)
    (root / "broken").symlink_to("nowhere")
    assert list(read_folder(root).leaves) == ["a", "broken", "loop", "s/b", "s/out"]
    (tmp_path / "link").symlink_to(root)
    assert read_folder(tmp_path / "link") == read_folder(root), "the root itself may be a link"


def test_folders__what_is_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_folder(tmp_path / "missing")
    with pytest.raises(NotADirectoryError):
        read_folder(grown(tmp_path, "a") / "a")
    with pytest.raises(TypeError):
        read_folder(3.5)
    with pytest.raises(ValueError, match="labels must be 'path' or 'name'"):
        read_folder(tmp_path, labels="both")


def test_folders__closed_ones_are_all_told(tmp_path, monkeypatch):
    grown(tmp_path, "a/x", "b/c/y", "d/z")
    scandir = os.scandir

    def closed(path):
        if os.path.basename(path) in ("a", "c"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(ParseError, match=r"2 folders cannot be read: 'a' \(Permission denied\); 'b/c'") as error:
        read_folder(tmp_path)
    assert len(error.value.problems) == 2
    assert error.value.path == str(tmp_path)


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_folders__a_closed_one(tmp_path):
    grown(tmp_path, "a/x", "b/y")
    (tmp_path / "a").chmod(0)
    try:
        with pytest.raises(ParseError, match="1 folder cannot be read: 'a'"):
            read_folder(tmp_path)
    finally:
        (tmp_path / "a").chmod(0o700)


def test_folders__limit(tmp_path):
    grown(tmp_path, "a/x", "a/y", "b")
    assert read_folder(tmp_path, max_entries=4).n_leaves == 3
    with pytest.raises(LimitExceededError, match="more than 3 files and folders below .*max_entries=") as error:
        read_folder(tmp_path, max_entries=3)
    assert error.value.limit == 3
    with pytest.raises(ValueError, match="max_entries is 0"):
        read_folder(tmp_path, max_entries=0)


def test_folders__deeper_than_python_calls(tmp_path):
    made = [str(tmp_path)]
    for _ in range(1_200):
        made.append(made[-1] + "/f")
        os.mkdir(made[-1])
    files = [made[-1] + "/a", made[-1] + "/b"]
    try:
        for name in files:
            open(name, "wb").close()
        h = read_folder(tmp_path)
    finally:
        for name in files:
            os.unlink(name)
        for name in made[:0:-1]:  # shutil.rmtree would call itself too often
            os.rmdir(name)
    assert (h.n_leaves, h.n_nodes) == (2, 2 + 1_201)
    assert h.leaves[0] == "f/" * 1_200 + "a"


def test_folders__many_files(tmp_path):
    for k in range(100):
        folder = tmp_path / f"{k:02}"
        folder.mkdir()
        for i in range(100):
            (folder / f"{i:02}").touch()
    h = read_folder(tmp_path)
    assert h.n_leaves == 10_000
    assert list(h.leaves) == [f"{k:02}/{i:02}" for k in range(100) for i in range(100)]
    assert h.n_children[-1] == 100


@pytest.mark.skipif(os.name == "nt", reason="names of bytes are those of POSIX")
def test_folders__names_that_are_no_text(tmp_path):
    try:
        with open(os.path.join(os.fsencode(tmp_path), b"\xff"), "wb"):
            pass
    except OSError:
        pytest.skip("this file system wants UTF-8")
    grown(tmp_path, "new\nline")
    assert list(read_folder(tmp_path).leaves) == ["new\nline", os.fsdecode(b"\xff")]
