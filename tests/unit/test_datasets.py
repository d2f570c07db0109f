import importlib.resources
from math import comb
from pathlib import Path

import pytest

import tripletree.datasets as datasets
from tripletree.algorithms.induce import count_triplets
from tripletree.datasets import UnknownSampleError, list_hierarchies, load_hierarchy, sample_path
from tripletree.errors import TripletreeError
from tripletree.io import read_hierarchy

# leaves, inner nodes, unary nodes, largest number of children: counted in the files by hand, see their README
FACTS = {
    "animals": (92, 253, 199, 12),
    "indo_european": (100, 60, 0, 10),
    "mammals": (120, 112, 0, 4),
    "newsgroups": (20, 6, 0, 6),
    "primates": (12, 11, 0, 2),
}


def test_list_hierarchies__at_least_five_sorted():
    assert list_hierarchies() == sorted(FACTS)


@pytest.mark.parametrize("name", sorted(FACTS))
def test_load_hierarchy__is_as_its_readme_says(name):
    h = load_hierarchy(name)
    degree = h.n_children[h.n_leaves :]
    assert (h.n_leaves, degree.size, int((degree == 1).sum()), int(degree.max())) == FACTS[name]


def test_load_hierarchy__dated_ones_are_ultrametric():
    for name, age in (("mammals", 180), ("primates", 74)):
        h = load_hierarchy(name)
        assert h.height[-1] == pytest.approx(age)
        assert abs(h.height[: h.n_leaves]).max() < 1e-9


def test_load_hierarchy__primates_are_cut_out_of_mammals():
    primates = load_hierarchy("primates")
    assert load_hierarchy("mammals").restrict(primates.leaves) == primates


def test_load_hierarchy__triplets_of_newsgroups_by_hand():
    groups = {5: 1, 4: 2, 3: 2, 1: 1}  # six groups by size
    wanted = sum(times * comb(size, 2) * (20 - size) for size, times in groups.items())
    assert count_triplets(load_hierarchy("newsgroups")) == wanted == 444


@pytest.mark.parametrize(("name", "near"), [("mamals", "mammals"), ("primates.nwk", "primates"), ("xyz", None)])
def test_load_hierarchy__unknown_name_is_refused_with_near_ones(name, near):
    with pytest.raises(UnknownSampleError) as caught:
        load_hierarchy(name)
    error = caught.value
    assert isinstance(error, LookupError)
    assert isinstance(error, TripletreeError)
    assert error.name == name
    assert error.suggestions[:1] == ([near] if near else [])
    assert all(known in str(error) for known in FACTS)


def test_load_hierarchy__an_ontology_is_no_hierarchy():
    with pytest.raises(UnknownSampleError, match=r"ontology.*sample_path\('cell_types'\)"):
        load_hierarchy("cell_types")


def test_sample_path__with_suffix_or_without():
    for name in ("mammals", "mammals.nwk", "cell_types", "cell_types.obo", "README.md"):
        path = sample_path(name)
        assert isinstance(path, Path)
        assert path.is_file()
        assert path.name.startswith(name)
    assert sample_path("cell_types").read_text().startswith("format-version: 1.4")


@pytest.mark.parametrize("name", ["nothing", "__init__", "__init__.py", "../setup.cfg", ""])
def test_sample_path__unknown_name_is_refused(name):
    with pytest.raises(UnknownSampleError, match="there is no sample file"):
        sample_path(name)


def test_folder__of_a_checkout_that_is_not_installed(monkeypatch):
    def absent(package):
        raise ModuleNotFoundError(package)

    monkeypatch.setattr(importlib.resources, "files", absent)
    assert sample_path("mammals") == Path(datasets.__file__).parents[2] / "sample_hierarchies" / "mammals.nwk"


def test_folder__missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(importlib.resources, "files", lambda package: tmp_path / "gone")
    with pytest.raises(FileNotFoundError, match="install tripletree again"):
        list_hierarchies()


def test_read_hierarchy__the_samples_of_the_command_line_are_told():
    with pytest.raises(FileNotFoundError, match=r"in Python, tripletree.datasets.sample_path\('mammals'\)"):
        read_hierarchy("sample:mammals")
