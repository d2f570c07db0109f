"""Public names that have changed."""

from importlib import import_module
from pathlib import Path

import pytest

from tripletree.core.renamed import RENAMED

NAMES = [(face, old, new) for face, names in RENAMED.items() for old, new in names.items()]
CHANGELOG = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("face", "old", "new"), NAMES)
def test_renamed__the_old_name_works_and_tells_the_new_one(face, old, new):
    module = import_module(face)
    assert old not in vars(module)
    assert old not in dir(module)
    with pytest.warns(DeprecationWarning, match=rf"^{face}\.{old} is now {face}\.{new}; .* 1\.0$") as told:
        assert getattr(module, old) is getattr(module, new)
    assert [x.filename for x in told] == [__file__]  # the user's line
    assert new in module.__all__
    short = face.removeprefix("tripletree").removeprefix(".")
    assert f"| `{short + '.' * bool(short)}{old}` | `{short + '.' * bool(short)}{new}`" in CHANGELOG


@pytest.mark.parametrize("face", list(RENAMED))
def test_renamed__other_names_are_unknown(face):
    with pytest.raises(AttributeError, match=rf"^module '{face}' has no attribute 'nonsense'$"):
        import_module(face).nonsense  # noqa: B018
