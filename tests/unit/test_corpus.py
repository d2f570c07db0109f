"""Inputs that once broke a reader or a constructor, found by `make fuzz`: a value or an error of tripletree, now."""

import pytest
from fuzzing import CONSTRUCTORS, CORPUS, READERS, check

FOUND = sorted(CORPUS.glob("*/*"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_corpus__stays_mended(path):
    assert path.parent.name in READERS or path.parent.name in CONSTRUCTORS
    check(path.parent.name, path.read_bytes())


def test_fuzzing__accidents_are_told_from_refusals(monkeypatch):
    monkeypatch.setitem(CONSTRUCTORS, "accident", (lambda x: len(x), None))
    with pytest.raises(TypeError, match="has no len"):
        check("accident", b"((5,), {})")
    check("LeafIndex", b"((-5,), {})")  # a ValueError that the package raises
