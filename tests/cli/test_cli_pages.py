import sys

import pytest

SMALL = "((a,b),c);"


def test_plot__writes_a_page(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # no need of it
    assert run("plot", "sample:primates", "--html", "p.html", "--title", "Apes & more").stdout == "p.html\n"
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<title>Apes &amp; more</title>" in page
    assert "Gorilla" in page


def test_plot__a_picture_and_a_page(run, tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "t.txt").write_text("a b | c\n")
    done = run("plot", "-", "-o", "p.png", "--html", "p.html", "--triplets", "t.txt", "--clusters", 2, text=SMALL)
    assert done.stdout == "p.png\np.html\n"
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert '"clusters":{"one":"cluster"' in page
    assert '"triplets":{"rows":[0,1,2],"at":[1]}' in page


def test_plot__a_page_to_the_standard_output(run):
    done = run("plot", "-", "--html", "-", text=SMALL)
    assert done.stdout.startswith("<!doctype html>")
    assert done.stdout.endswith("</html>\n")


def test_plot__pages_that_cannot_be_written(run):
    assert "nothing to write: give -o FILE" in run("plot", "-", text=SMALL, status=2).stderr
    same = run("plot", "-", "-o", "p.png", "--html", "./p.png", text=SMALL, status=2)
    assert "./p.png is an output of this command already" in same.stderr
    assert "no such folder" in run("plot", "-", "--html", "no/p.html", text=SMALL, status=2).stderr
    assert "give -o FILE, too" in run("plot", "-", "--html", "p.html", "--cut", 1, text=SMALL, status=2).stderr


def test_plot__the_page_has_the_axis_of_the_picture(run, tmp_path):
    for heights, unit in (("auto", "height"), ("level", "level above the leaves"), ("order", "order of merging")):
        run("plot", "-", "--html", "p.html", "--heights", heights, text="((a:1,b:1):1,c:2);")
        assert f'"axes":[{{"unit":"{unit}"' in (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "has no heights" in run("plot", "-", "--html", "q.html", "--heights", "height", text=SMALL, status=2).stderr


def test_plot__a_page_with_classes(run, tmp_path):
    (tmp_path / "c.csv").write_text("label,class\na,x\nb,x\nc,y\n")
    run("plot", "-", "--html", "p.html", "--classes", "c.csv", text=SMALL)
    assert '"names":["x","y"],"codes":[0,0,1]' in (tmp_path / "p.html").read_text(encoding="utf-8")
