"""The page of a report in a real browser: on a screen, on a phone and on paper."""

import numpy as np
import pytest
from page_reading import NASTY
from sklearn.datasets import load_iris

import tripletree as tt

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A report on plain names, and one on names that try to leave their place."""
    X, y = load_iris(return_X_y=True)
    some = np.random.default_rng(0).permutation(150)[:60]
    folder = tmp_path_factory.mktemp("reports")
    plain = [f"flower {i}" for i in some]
    hostile = [f"{NASTY[i % len(NASTY)]}{'x' * (i % 90)}{i}" for i in range(60)]
    features = ["sepal length", "width<of>sepals", "a_" * 40, NASTY[0]]
    for name, names in (("plain", plain), ("hostile", hostile)):
        triplets = tt.sample_class_triplets(y[some], 70, leaves=names, random_state=0)
        found = tt.report(X[some], triplets=triplets, sample_names=names, feature_names=features, n_resamples=2)
        found.write_html(folder / f"{name}.html", title=f"{NASTY[0]} & irises")
    return folder


@pytest.mark.parametrize("name", ["plain", "hostile"])
@pytest.mark.parametrize(("width", "height"), [(1200, 800), (360, 740)])
def test_report__fits_the_window_and_complains_of_nothing(browser, pages, name, width, height):
    page = browser.open(pages / f"{name}.html", width, height)
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("document.querySelectorAll('.report > main b, .report main img').length") == 1  # the printed tree
    assert page.text("h1").endswith("& irises")
    assert page.state()["rows"] == 60
    assert page.run("document.querySelector('#picture').clientWidth") > 150
    assert page.complaints() == []
    page.close()


def test_report__a_clade_is_shown_in_the_tree(browser, pages):
    page = browser.open(pages / "plain.html", 1200, 800)
    page.run("document.querySelectorAll('button[data-node]')[2].scrollIntoView()")
    wanted = page.run("Number(document.querySelectorAll('button[data-node]')[2].dataset.node)")
    size = page.run("document.querySelectorAll('button[data-node]')[2].closest('tr').children[1].textContent")
    page.click_on("tr:nth-child(3) button[data-node]")
    assert page.state()["selected"] == wanted
    assert page.text("#panel dd") == size
    assert page.run("Math.abs(document.querySelector('#tree').getBoundingClientRect().top) < 40")
    assert page.complaints() == []
    page.close()


@pytest.mark.parametrize(("width", "height"), [(1200, 800), (360, 740)])
def test_report__folds_what_is_not_sure(browser, pages, width, height):
    page = browser.open(pages / "plain.html", width, height)
    page.run("document.querySelector('#below').scrollIntoView({ block: 'center' })")
    page.click_on("#below")
    page.write("0.5")
    page.press("Enter")
    assert 2 <= page.state()["rows"] < 60
    assert "with support below .50 folded" in page.text("#status")
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.complaints() == []
    page.close()


def test_report__contents_lead_to_every_section(browser, pages):
    page = browser.open(pages / "plain.html")
    links = page.run("Array.from(document.querySelectorAll('nav a')).map((x) => x.getAttribute('href').slice(1))")
    sections = page.run("Array.from(document.querySelectorAll('main > section')).map((x) => x.id)")
    assert links == sections
    assert page.run("Array.from(document.querySelectorAll('table')).every((x) => x.caption && x.tHead)")
    page.close()


def test_report__on_paper_the_tree_is_a_picture(browser, pages):
    page = browser.open(pages / "plain.html")
    page.call("Emulation.setEmulatedMedia", media="print")
    shown = "getComputedStyle(document.querySelector('{}')).display"
    assert page.run(shown.format(".viewer")) == "none"
    assert page.run(shown.format(".printed")) == "block"
    assert page.run(shown.format("button[data-node]")) == "none"
    assert page.run(shown.format(".on-screen")) == "none"
    page.call("Page.printToPDF")
    assert page.run("document.querySelectorAll('.printed img').length") == 0  # the picture in grey is for no script
    colours = page.run("Array.from(document.querySelectorAll('.printed path'), (x) => x.getAttribute('stroke'))")
    assert {"#0b61a2", "#b24300"} <= set(colours)
    assert "colours of the clusters" in page.text("#tree p")
    page.close()


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_report__no_text_of_a_chart_lies_on_another(browser, pages, name):
    page = browser.open(pages / f"{name}.html")
    overlaps = page.run("""
    (() => {
      const texts = Array.from(document.querySelectorAll(".chart text"));
      const pairs = texts.flatMap((one, i) => texts.slice(i + 1).map((two) => [one, two]));
      return pairs.filter((pair) => {
        const [a, b] = pair.map((text) => text.getBoundingClientRect());
        return a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
      }).map((pair) => pair.map((text) => text.textContent));
    })()
    """)
    assert overlaps == []
    page.close()
