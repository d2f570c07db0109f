"""Shipped files agree with each other: versions, dependencies, commands of the tests, targets of links."""

import configparser
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tripletree._version import __version__

HOUSE = Path(__file__).parents[2]
yaml = pytest.importorskip("yaml")


def settings():
    found = configparser.ConfigParser()
    found.read(HOUSE / "setup.cfg", encoding="utf-8")
    return found


def loaded(name):
    return yaml.safe_load((HOUSE / name).read_text(encoding="utf-8"))


def requirements(lines):
    return {re.sub(r"\s", "", line) for line in lines if line.strip()}


def test_shipping__the_version_is_the_same_everywhere():
    assert loaded("CITATION.cff")["version"] == __version__
    assert loaded("conda/recipe.yaml")["context"]["version"] == __version__
    newest = re.search(r"^## (\S+)", (HOUSE / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert newest == __version__


def test_shipping__the_conda_recipe_asks_for_what_the_wheel_asks_for():
    needed = loaded("conda/recipe.yaml")["requirements"]["run"]
    own = requirements(settings()["options"]["install_requires"].splitlines())
    assert requirements(needed) - {"python"} == own
    least = loaded("conda/recipe.yaml")["context"]["python_min"]
    assert settings()["options"]["python_requires"] == f">={least}"


def test_shipping__optional_versions_of_the_conda_recipe_are_those_of_the_extras():
    extras = settings()["options.extras_require"]
    known = requirements((extras["plot"] + extras["io"]).replace("matplotlib ", "matplotlib-base ").splitlines())
    assert requirements(loaded("conda/recipe.yaml")["requirements"]["run_constraints"]) == known


def test_shipping__every_python_of_the_metadata_is_tested():
    named = re.findall(r"Python :: (3\.\d+)", settings()["metadata"]["classifiers"])
    jobs = loaded(".github/workflows/ci.yml")["jobs"]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == named
    assert re.search(r"PYTHONS:-([\d. ]+)", (HOUSE / ".ci" / "release").read_text())[1].split() == named


def test_shipping__the_workflow_runs_the_gate():
    jobs = loaded(".github/workflows/ci.yml")["jobs"]
    commands = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    assert "bash .ci/run" in commands
    assert "bash .ci/release" in commands
    assert any("docs/build.py" in command for command in loaded(".readthedocs.yaml")["build"]["commands"])


#: The core and its sources. The build adds the former; the latter are in the source archive alone.
COMPILED = {".so", ".pyd", ".cpp", ".hpp"}


def test_shipping__the_wheel_has_everything_beside_the_modules():
    globs = settings()["options.package_data"]
    others = {
        p
        for p in (HOUSE / "tripletree").rglob("*")
        if p.is_file() and p.suffix not in COMPILED | {".py"} and p.parent.name != "__pycache__"
    }
    packed = set()
    for package, patterns in globs.items():
        for pattern in patterns.split(","):
            packed |= set((HOUSE / package.replace(".", "/")).glob(pattern.strip()))
    assert others <= packed


@pytest.mark.parametrize("url", [None, "https://host.example/group/tripletree"])
def test_shipping__links_of_the_readme_lead_to_the_repository_once_it_has_an_address(tmp_path, url):
    pytest.importorskip("setuptools")
    (tmp_path / "tripletree").mkdir()
    (tmp_path / "tripletree" / "_version.py").write_text('__version__ = "9.8"\n')
    text = "![p](docs/a.png) [q](docs/a.md#x) [r](https://x.org) [s](#here)"
    (tmp_path / "README.md").write_text(text)
    urls = "" if url is None else f"project_urls =\n    Source = {url}\n"
    (tmp_path / "setup.cfg").write_text(f"[metadata]\nname = x\n{urls}")
    code = (HOUSE / "setup.py").read_text(encoding="utf-8").partition("\nsetup(")[0]
    (tmp_path / "setup.py").write_text(code)
    found = runpy.run_path(str(tmp_path / "setup.py"))["readme"]()
    expected = f"![p]({url}/raw/v9.8/docs/a.png) [q]({url}/blob/v9.8/docs/a.md#x) [r](https://x.org) [s](#here)"
    assert found == (text if url is None else expected)


def test_shipping__where_nothing_compiles_setup_names_the_package_to_install(tmp_path, monkeypatch):
    code = (HOUSE / "setup.py").read_text(encoding="utf-8").partition("\nsetup(")[0]
    (tmp_path / "setup.py").write_text(code)
    room = runpy.run_path(str(tmp_path / "setup.py"))
    build = room["BuildCore"].build_extension
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setitem(build.__globals__, "find_spec", lambda name: None)
    assert room["compiler"]() is None
    with pytest.raises(SystemExit, match=r"no C\+\+ compiler was found.*ziglang.*apt install g\+\+"):
        build(None, None)
    monkeypatch.setenv("CXX", "ccache clang++-17")
    assert room["compiler"]() == ["ccache", "clang++-17"]


@pytest.mark.parametrize("name", ["run", "release"])
def test_shipping__scripts_are_valid_shell(name):
    if sys.platform == "win32":
        pytest.skip("there is no bash")
    assert subprocess.run(["bash", "-n", HOUSE / ".ci" / name], check=False).returncode == 0


# ---------------------------------------------------------------------- the paper


def paper():
    text = (HOUSE / "paper" / "paper.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    return yaml.safe_load(head), body


def test_shipping__every_reference_of_the_paper_is_in_its_bibliography_and_cited():
    head, body = paper()
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(head)
    entries = re.findall(r"^@\w+\{(\w+),", (HOUSE / "paper" / head["bibliography"]).read_text(encoding="utf-8"), re.M)
    assert set(re.findall(r"@([a-z]+\d{4})", body)) == set(entries)
    assert len(entries) == len(set(entries))


def test_shipping__every_figure_of_the_paper_is_made_by_its_command():
    _, body = paper()
    figures = re.findall(r"\]\((\w+)\.pdf\)", body)
    assert set(figures) == set(runpy.run_path(str(HOUSE / "paper" / "figures.py"))["FIGURES"])
    assert all((HOUSE / "paper" / f"{name}.pdf").read_bytes().startswith(b"%PDF") for name in figures)
    assert set(re.findall(r"autoref\{(fig:\w+)\}", body)) == set(re.findall(r"label\{(fig:\w+)\}", body))


def test_shipping__the_paper_has_two_pages():
    _, body = paper()
    assert 600 < len(body.split()) < 1000
