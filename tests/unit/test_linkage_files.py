"""Linkage matrices in files: the four forms, and refusals with their lines."""

import io
import pickle

import numpy as np
import pytest
from examples import balanced, caterpillar
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

import tripletree as tt
from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import InvalidHierarchyError, ParseError, TripletreeError
from tripletree.io.linkage_files import read_linkage, write_linkage


@pytest.fixture
def made(rng):
    Z = linkage(rng.random((30, 3)), "average")
    return Z, from_linkage(Z, [f"leaf {i}" for i in range(30)])


def same(g, h):
    return (
        list(g.leaves) == list(h.leaves) and np.array_equal(g.parent, h.parent) and np.array_equal(g.height, h.height)
    )


@pytest.mark.parametrize("name", ["Z.npy", "Z.npz", "Z.csv", "Z.txt", "Z.csv.gz", "Z.npy.xz", "Z"])
def test_linkage_files__there_and_back(tmp_path, made, name):
    Z, h = made
    path = tmp_path / name
    assert write_linkage(h, path) is None
    g = read_linkage(path)
    assert np.array_equal(to_linkage(g), Z), "exact"
    assert list(g.leaves) == (list(h.leaves) if name == "Z.npz" else list(range(30)))
    assert same(read_linkage(path, labels=h.leaves), h)
    with path.open("rb") as stream:
        assert same(read_linkage(stream, labels=h.leaves), h)


def test_linkage_files__what_numpy_and_scipy_write(tmp_path, made):
    Z, h = made
    for k, save in enumerate([np.save, np.savez, np.savez_compressed]):
        path = tmp_path / f"{k}.np{'zy'[k == 0]}"
        save(path, Z)
        assert same(read_linkage(path, labels=h.leaves), h)
        save(path, np.asfortranarray(Z.astype(">f8")))
        assert same(read_linkage(path, labels=h.leaves), h)
    np.savez(tmp_path / "both.npz", Z=Z, labels=np.array(list(h.leaves)))
    assert same(read_linkage(tmp_path / "both.npz"), h)
    np.savetxt(tmp_path / "Z.txt", Z, header="from scipy")
    assert same(read_linkage(tmp_path / "Z.txt", labels=h.leaves), h)
    np.savetxt(tmp_path / "Z.csv", Z, delimiter=";", header="a;b;c;d", comments="")
    assert same(read_linkage(tmp_path / "Z.csv", labels=h.leaves), h)
    assert np.array_equal(np.loadtxt(io.StringIO(write_linkage(h))), Z)
    integers = np.array([[0, 1, 1, 2], [2, 3, 2, 3]])
    np.save(tmp_path / "int.npy", integers)
    assert to_linkage(read_linkage(tmp_path / "int.npy")).tolist() == integers.tolist()


def test_linkage_files__text_by_hand():
    text = "left,right,height,size\r\n\r\n# merges\r\n0, 1, .5, 2\r\n 3,2,1e0,3.0\r\n"
    h = read_linkage(io.StringIO(text), labels=["a", "b", "c"])
    assert h == Hierarchy.from_nested([["a", "b"], "c"])
    assert h.height.tolist() == [0, 0, 0, 0.5, 1]
    assert write_linkage(h) == "0 1 0.5 2\n2 3 1.0 3\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "no linkage in it"),
        ("# nothing\na,b,c,d\n", 1, 1, "no linkage in it"),
        ("0 1 0.5 2\n2 3 0.5\n", 2, 1, "four numbers .* this line has 3 fields"),
        ("x", 1, 1, "1 field"),
        ("0 1 0.5 2\n\n2 x 0.5 3\n", 3, 3, "'x' is not a number"),
        ("0,1,0.5,2\n2,3,,3\n", 2, 5, "'' is not a number"),
        ("a b c d\na b c d\n", 2, 1, "'a' is not a number"),
        ("0 1 1_0 2\n", 1, 5, "'1_0' is not a number"),
        ("0 1 nan 2\n", 1, 1, "row 0 of the linkage .* heights must be finite"),
        ("0 1 0.5 2\n# x\n2 4 1 3\n", 3, 1, "row 1 of the linkage .* not formed yet"),
        ("0 1 0.5 2\n0 3 1 3\n", 2, 1, "it merges cluster 0, which row 0 has merged already"),
        ("0 1 0.5 2\n2 3 1 4\n", 2, 1, "says that the new cluster has 4 leaves, but it has 3"),
        ("0.5 1 0.5 2\n", 1, 1, "numbered by integers"),
        ("-1 1 0.5 2\n", 1, 1, "numbered by integers"),
    ],
)
def test_linkage_files__text_refused_with_the_line(text, line, column, message):
    with pytest.raises(ParseError, match=message) as error:
        read_linkage(io.StringIO(text))
    assert (error.value.line, error.value.column) == (line, column)


@pytest.mark.parametrize("name", ["Z.npz.gz", "Z.NPZ.xz", "Z.npz.bz2"])
@pytest.mark.parametrize("write", [write_linkage, tt.write_hierarchy])
def test_write_linkage__what_could_not_be_read_again_is_refused(tmp_path, name, write):
    with pytest.raises(ValueError, match="packed twice it cannot be read again: let the path end in .npz"):
        write(tt.Hierarchy([2, 2, -1], height=[0, 0, 0.5]), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def npy(array, **kwargs):
    stream = io.BytesIO()
    np.save(stream, array, **kwargs)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


class Trap:
    """Fails the test if it is ever unpickled."""

    def __reduce__(self):
        return pytest.fail, ("unpickled",)


Z3 = np.array([[0, 1, 0.5, 2], [2, 3, 1, 3]])
HUGE = npy(Z3).replace(b"(2, 4)", b"(9" + b"0" * 15 + b", 4)")[: len(npy(Z3))]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy(Z3)[:-1], "takes 64 bytes, and 63 are there"),
        (npy(Z3) + b"x", "takes 64 bytes, and 65 are there"),
        (npy(Z3)[:20], "damaged .npy array"),
        (npy(Z3).replace(b"(2, 4)", b"(4, 2)"), "has shape"),
        (npy(Z3).replace(b"(2, 4)", b"(-2,-4)")[:-1], "damaged .npy array"),
        (npy(Z3).replace(b"(2, 4)", b"(2**9)"), "damaged .npy array"),
        (b"\x93NUMPY\x09\x00" + npy(Z3)[8:], "damaged .npy array"),
        (npy(np.zeros(3, "i4,f8")), "or one of records"),
        (npy(Z3).replace(b"<f8", b"<f9"), "there is no data type '<f9'"),
        (HUGE, "damaged .npy array"),
        (npy(Z3[0]), "has shape"),
        (npy(np.array(["a"])), "must hold numbers, not <U1"),
        (npy(np.array([Trap()], object), allow_pickle=True), "Python objects are not unpickled"),
        (npy(np.array([[0, 0, 1, 2.0]])), "it merges cluster 0 with itself"),
        (npz(a=Z3, b=Z3), "2 arrays besides 'labels'"),
        (npz(labels=Z3), "0 arrays besides 'labels'"),
        (npz(Z=Z3, labels=np.array(["a", "b"])), "2 labels stand in the file for a linkage of 2 merges, which has 3"),
        (npz(Z=Z3, labels=np.array(["a", "b", "a"])), "all different"),
        (npz(Z=Z3, labels=Z3[0]), "must hold whole numbers or text"),
        (npz(Z=Z3)[:-30], "damaged zip"),
        (pickle.dumps(Z3), "not UTF-8|NUL characters"),
    ],
)
def test_linkage_files__arrays_refused(content, message):
    with pytest.raises(ParseError, match=message):
        read_linkage(io.BytesIO(content))


def test_linkage_files__labels_that_do_not_fit(tmp_path):
    with pytest.raises(InvalidHierarchyError, match="2 labels are given for a linkage of 2 merges"):
        read_linkage(io.BytesIO(npy(Z3)), labels=["a", "b"])
    h = from_linkage(Z3, ["a", 2, "b"])
    with pytest.raises(InvalidHierarchyError, match="all text"):
        write_linkage(h, tmp_path / "Z.npz")
    with pytest.raises(InvalidHierarchyError, match="all text"):
        write_linkage(from_linkage(Z3, ["a", "a\0", "b"]), tmp_path / "Z.npz")
    write_linkage(from_linkage(Z3, [7, 8, 9]), tmp_path / "Z.npz")
    assert list(read_linkage(tmp_path / "Z.npz").leaves) == [7, 8, 9]
    with pytest.raises(InvalidHierarchyError, match="single leaf"):
        write_linkage(Hierarchy([-1]), tmp_path / "Z.txt")
    with pytest.raises(InvalidHierarchyError, match="has 3 children"):
        write_linkage(Hierarchy([3, 3, 3, -1]), tmp_path / "Z.npz")
    assert [p.name for p in tmp_path.iterdir()] == ["Z.npz"]


def test_linkage_files__falling_heights(tmp_path):
    h = Hierarchy([3, 3, 4, 4, -1], height=[0, 0, 0, 2.0, 1.0])
    assert read_linkage(io.StringIO(write_linkage(h))).height.tolist() == [0, 0, 0, 2, 1]
    assert read_linkage(io.StringIO(write_linkage(h, monotone=True))).height.tolist() == [0, 0, 0, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["npy", "csv"])
def test_linkage_files__a_hundred_thousand_leaves(tmp_path, suffix):
    for h in (balanced(100_000), caterpillar(100_000)):
        write_linkage(h, tmp_path / f"Z.{suffix}")
        assert read_linkage(tmp_path / f"Z.{suffix}") == h


@given(st.binary(max_size=40), st.integers(0, 200), st.integers(0, 5))
def test_linkage_files__any_change_of_an_array(change, at, length):
    for content in (npy(Z3), npz(Z=Z3, labels=np.array(list("abc"))), b"0 1 0.5 2\n2 3 1 3\n"):
        at = min(at, len(content))
        try:
            h = read_linkage(io.BytesIO(content[:at] + change + content[at + length :]))
        except TripletreeError:
            continue
        assert isinstance(h, Hierarchy)
