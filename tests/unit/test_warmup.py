"""Compiling ahead: each kind makes its calls, and afterwards nothing of it is left to compile."""

import subprocess
import sys
from pathlib import Path

import pytest

import tripletree as tt
from tripletree import kernels, warmup
from tripletree.errors import TripletreeError

needs_numba = pytest.mark.skipif(kernels.MODE == "never", reason="kernels are not compiled")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize("kind", warmup.JOBS)
def test_warmup__every_kind_makes_its_calls(kind):
    warmup.do_job(kind)
    assert warmup.do_job(kind) == 0


@needs_numba
@pytest.mark.slow
def test_warmup__later_processes_find_all_of_it_compiled(tmp_path):
    code = """
import tripletree as tt
if __name__ == "__main__":
    print([tt.warm_up(["conflicts", "hierarchies"], verbose=False) for _ in range(2)])
"""
    (tmp_path / "program.py").write_text(code)
    environment = {"PYTHONPATH": str(Path(tt.__file__).parents[1]), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True, check=True
    )
    first, second = map(int, done.stdout.strip("[]\n").split(", "))
    assert (first > 10, second) == (True, 0)
    assert done.stderr == ""


@needs_numba
def test_warmup__progress_and_what_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="'nonsense'.*there are builder, "):
        tt.warm_up(["recon", "nonsense"])
    for n_jobs in (0, -2):
        with pytest.raises(ValueError, match=f"n_jobs is {n_jobs}; give"):
            tt.warm_up(n_jobs=n_jobs)
    monkeypatch.setattr(kernels, "folder_of_cache", lambda: None)
    with pytest.raises(TripletreeError, match="NUMBA_CACHE_DIR"):
        tt.warm_up()


def test_warmup__without_numba_there_is_nothing_to_compile(monkeypatch):
    monkeypatch.setattr(kernels, "MODE", "never")
    with pytest.raises(TripletreeError, match="TRIPLETREE_JIT=0"):
        tt.warm_up()


@needs_numba
def test_warmup__the_folder_is_the_one_of_the_cache(tmp_path):
    folder = kernels.folder_of_cache()
    assert folder is not None
    assert folder.is_dir()
