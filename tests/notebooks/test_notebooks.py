"""The notebooks: every source has an executed copy in step with it, free of errors, and executing gives it again."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
EXECUTE = FOLDER / "execute.py"
SOURCES = sorted(p for p in FOLDER.glob("*.py") if p != EXECUTE)

each_notebook = pytest.mark.parametrize("source", SOURCES, ids=lambda p: p.stem)


def run(script, *arguments, **environment):
    """Execute in a process of its own, as make does: warnings of the kernel's client do not matter here."""
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)


def need_kernel():
    missing = [x for x in ("jupytext", "nbclient", "ipykernel") if importlib.util.find_spec(x) is None]
    if missing:
        pytest.skip(f"executing needs {', '.join(missing)}: pip install 'tripletree[notebook]'")


def cells_of_source(text):
    """Cells of a percent-format source as (type, text): the header, code as it is, Markdown without its hashes."""
    cells = []
    for part in ("\n" + text).split("\n# %%")[1:]:
        first, _, body = part.partition("\n")
        body = body.strip("\n")
        if first.strip() == "[markdown]":
            lines = body.split("\n")
            assert all(line == "#" or line.startswith("# ") for line in lines)
            cells.append(("markdown", "\n".join(line[2:] for line in lines)))
        else:
            assert first.strip() == ""
            cells.append(("code", body))
    return cells


def stored(source):
    return json.loads(source.with_suffix(".ipynb").read_text(encoding="utf-8"))


def outputs(notebook):
    return [(k, x) for k, cell in enumerate(notebook["cells"], 1) for x in cell.get("outputs", [])]


def test_notebooks__there_are_some_and_no_copy_without_a_source():
    assert SOURCES
    assert {p.stem for p in FOLDER.glob("*.ipynb")} == {p.stem for p in SOURCES}


def test_notebooks__the_index_names_each():
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [p.name for p in SOURCES if f"({p.stem}.ipynb)" not in index] == []


@each_notebook
def test_notebooks__copy_is_in_step(source):
    copied = [(cell["cell_type"], "".join(cell["source"])) for cell in stored(source)["cells"]]
    assert copied == cells_of_source(source.read_text(encoding="utf-8"))


@each_notebook
def test_notebooks__copy_is_executed_from_top_to_bottom(source):
    code = [cell for cell in stored(source)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert any(cell["outputs"] for cell in code)


@each_notebook
def test_notebooks__no_error_and_nothing_on_standard_error(source):
    bad = [k for k, x in outputs(stored(source)) if x["output_type"] == "error" or x.get("name") == "stderr"]
    assert bad == []


@each_notebook
def test_notebooks__pictures_are_png_and_no_place_of_this_machine_shows(source):
    text = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    kinds = {kind for _, x in outputs(json.loads(text)) for kind in x.get("data", {})}
    assert kinds <= {"image/png", "text/plain"}
    assert [x for x in (str(FOLDER.parent), str(Path.home()) + os.sep, " at 0x") if x in text] == []


@pytest.mark.slow
@each_notebook
def test_notebooks__executing_gives_the_same_bytes(source):
    need_kernel()
    # nobody's settings reach the kernel: a narrow terminal, a drawing backend, warnings as errors
    result = run(EXECUTE, "--check", source.stem, COLUMNS="40", MPLBACKEND="agg", PYTHONWARNINGS="error::UserWarning")
    assert result.returncode == 0, result.stdout + result.stderr


# ---------------------------------------------------------------------- the script itself


@pytest.fixture
def workshop(tmp_path):
    """A folder with the script and one small notebook."""
    need_kernel()
    shutil.copy(EXECUTE, tmp_path)
    (tmp_path / "01_small.py").write_text("# %% [markdown]\n# # One\n\n# %%\nprint(6 * 7)\n", encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_execute__writes_then_agrees_then_sees_a_change(workshop):
    script, copy = workshop / "execute.py", workshop / "01_small.ipynb"
    missing = run(script, "--check")
    assert missing.returncode == 1
    assert "01_small.ipynb: is missing" in missing.stdout
    assert not copy.exists()
    assert run(script).returncode == 0
    first = copy.read_bytes()
    notebook = json.loads(first)
    assert cells_of_source((workshop / "01_small.py").read_text(encoding="utf-8")) == [
        (cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]
    ]
    assert [x["text"] for _, x in outputs(notebook)] == [["42\n"]]
    same = run(script, "--check", "01")
    assert (same.returncode, same.stdout) == (0, "01_small.ipynb: the same, byte for byte\n")
    copy.write_bytes(first.replace(b"42", b"43"))
    changed = run(script, "--check")
    assert changed.returncode == 1
    assert "cell 2: output differs" in changed.stdout
    assert "43" in changed.stdout
    assert "42" in changed.stdout
    assert run(script).returncode == 0
    assert copy.read_bytes() == first
    assert sorted(p.name for p in workshop.iterdir() if p.suffix == ".tmp") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "said"),
    [("1 / 0", "ZeroDivisionError"), ("import warnings; warnings.warn('careful')", "cell 2 writes to standard error")],
)
def test_execute__refuses_a_failing_cell_and_a_warning(workshop, code, said):
    (workshop / "01_small.py").write_text(f"# %% [markdown]\n# # One\n\n# %%\n{code}\n", encoding="utf-8")
    result = run(workshop / "execute.py")
    assert result.returncode == 1
    assert "01_small.py" in result.stderr
    assert said in result.stderr
    assert "\x1b" not in result.stderr  # no colours
    assert not (workshop / "01_small.ipynb").exists()


def test_execute__names_that_match_nothing():
    result = run(EXECUTE, "--check", "99_nothing")
    assert result.returncode == 2
    assert "no notebook 99_nothing" in result.stderr


def picture(colour, software):
    """One cell whose output is a picture of one pixel."""
    import base64
    import io

    from PIL import Image, PngImagePlugin

    stream, info = io.BytesIO(), PngImagePlugin.PngInfo()
    info.add_text("Software", f"{software}, https://matplotlib.org/")
    Image.new("RGBA", (1, 1), colour).save(stream, "png", pnginfo=info)
    data = {"image/png": base64.b64encode(stream.getvalue()).decode(), "text/plain": ["<Figure>"]}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    return {"cells": [{"id": "cell-01", "cell_type": "code", "source": ["draw()"], "outputs": [output]}]}


def test_execute__pictures_of_one_matplotlib_are_compared_by_pixels():
    pytest.importorskip("PIL")
    spec = importlib.util.spec_from_file_location("execute_notebooks", EXECUTE)
    execute = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(execute)
    red, blue = ((255, 0, 0, 255), (0, 0, 255, 255))
    assert execute.differences(picture(red, "Matplotlib 1"), picture(red, "Matplotlib 1")) == ([], [])
    found, notes = execute.differences(picture(red, "Matplotlib 1"), picture(blue, "Matplotlib 1"))
    assert found == ["cell 1: picture 1 differs, (1, 1) and (1, 1) pixels"]
    assert notes == []
    found, notes = execute.differences(picture(red, "Matplotlib 1"), picture(blue, "Matplotlib 2"))
    assert found == []
    assert notes == ["cell 1: picture 1 not compared, drawn by Matplotlib 1, now by Matplotlib 2"]
