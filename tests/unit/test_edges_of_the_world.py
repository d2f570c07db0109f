"""Values that cannot be set, pickles of another version, long labels, files left by killed writers, signals."""

import copy
import os
import pickle
import re
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import tripletree as tt
from tripletree.cluster import COPKMeans, ReCon
from tripletree.errors import InvalidTripletError, TripletreeError
from tripletree.io import source

H = tt.parse_newick("((a:1,b:1)x:1,c:2);")


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (H, ["parent", "leaves", "names", "ranks", "length", "height", "_length", "note"]),
        (tt.Ontology(["a", "b"], [(1, 0)]), ["terms", "edges", "names", "relations", "note"]),
    ],
)
def test_values__nothing_can_be_set_or_deleted(value, names):
    for name in names:
        with pytest.raises(AttributeError, match=f"immutable, so {name} cannot be set"):
            setattr(value, name, None)
        with pytest.raises(AttributeError, match="cannot be deleted"):
            delattr(value, name)
    for again in (copy.deepcopy(value), copy.copy(value), pickle.loads(pickle.dumps(value))):
        assert again == value


def test_pickles__say_their_version(monkeypatch):
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    for model in (ReCon(n_clusters=2), COPKMeans(2, random_state=0)):
        fitted = model.fit(X)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            content = pickle.dumps(fitted)
            again = pickle.loads(content)
            clone(fitted)
            copy.deepcopy(fitted)
        assert vars(again).keys() == vars(fitted).keys()
        assert again.labels_.tolist() == fitted.labels_.tolist()
        with monkeypatch.context() as patch:
            patch.setattr("tripletree.core.versions.__version__", "9.9")
            with pytest.warns(
                UserWarning, match=rf"this {type(model).__name__} was pickled by tripletree .* loaded by 9\.9"
            ):
                assert pickle.loads(content).labels_.tolist() == fitted.labels_.tolist()
        old = content.replace(b"_tripletree_version", b"_triplettree_versio")
        with pytest.warns(UserWarning, match=r"pickled by tripletree before 0\.1\.0"):
            pickle.loads(old)


def test_messages__long_labels_are_cut():
    label = "y" * 100_000
    for make in (
        lambda: H.restrict([label]),
        lambda: tt.TripletSet.from_labels([("a", "a", label)]),
        lambda: tt.LeafIndex([label, label]),
        lambda: tt.parse_newick(f"({label},{label});"),
        lambda: tt.parse_newick(f"('{label} 2','{label} 2');"),
    ):
        with pytest.raises(TripletreeError) as error:
            make()
        assert len(str(error.value)) < 1500
        assert "yyyy" in str(error.value)


def test_messages__prose_is_not_cut():
    prose = "this label's place, " + "which is long, " * 40 + "and that label's"
    assert str(TripletreeError(prose)) == prose
    two = f"'{'a' * 150}' and '{'b' * 150}'"
    assert str(TripletreeError(two)) == two


def test_messages__missing_labels():
    pd = pytest.importorskip("pandas")
    with pytest.raises(InvalidTripletError, match="triplet 0 is .*NA.*NA.? is a missing label"):
        tt.TripletSet.from_labels([("a", pd.NA, "b")])


@pytest.mark.parametrize("heights", [[0, 0, 0, 1e308, 1.7e308], [-1.5e308, 0, 0, 1e308, 1.7e308], [0, 0, 0, 1e-320, 1]])
def test_pictures__heights_near_the_limit_are_drawn(heights, tmp_path):
    pytest.importorskip("matplotlib")
    h = tt.Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], height=heights)
    for layout in ("rectangular", "circular"):
        ax = tt.plot_dendrogram(h, layout=layout)
        ax.figure.savefig(tmp_path / "x.png")
        assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()
    tt.write_html(h, tmp_path / "x.html")
    assert h._repr_html_()


# ---------------------------------------------------------------------- files


def test_writers__the_target_is_named_when_the_disk_is_full(tmp_path):
    path = tmp_path / "x.nwk"
    with pytest.raises(OSError, match=re.escape(str(path))) as error, source.write_atomic(path):
        raise OSError(28, "No space left on device")
    assert error.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def test_writers__files_of_killed_writers_are_named(tmp_path):
    left = tmp_path / ".tripletree-0123456789abcdef.tmp"
    left.write_text("half")
    young = tmp_path / ".tripletree-fedcba9876543210.tmp"
    young.write_text("being written")
    os.utime(left, (time.time() - 7200,) * 2)
    with pytest.warns(
        UserWarning, match="a temporary file left by a writer that was killed: .*0123456789abcdef"
    ) as caught:
        tt.write_newick(H, tmp_path / "x.nwk")
    assert "fedcba" not in str(caught[0].message)
    assert left.exists()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tt.write_newick(H, tmp_path / "y.nwk")


WRITER = """
import os, sys, time
from tripletree.cli import main
from tripletree.cli.shell import Commands
from tripletree.io.source import write_atomic

def slow():
    with write_atomic("out.txt") as stream:
        print("ready", flush=True)
        time.sleep(60)

main.commands["demo"].callback = lambda **_: slow()
sys.argv = ["tripletree", "demo"]
main()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signals__no_temporary_file_is_left(tmp_path, name):
    number = getattr(signal, name)
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # nohup, for one, has children ignore SIGHUP
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        assert [x.suffix for x in tmp_path.iterdir()] == [".tmp"]
        process.send_signal(number)
        assert process.wait(30) == 128 + number
    finally:
        process.kill()
        process.stdout.close()
    assert list(tmp_path.iterdir()) == []
