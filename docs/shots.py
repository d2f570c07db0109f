"""Pictures of the pages, taken in Chromium like the tests of pages: ``python docs/shots.py`` writes docs/look_*.png."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))
sys.path.insert(0, str(DOCS.parent / "tests"))
sys.path.insert(0, str(DOCS))

#: The server that asks about wines; its argument is a file for the answers.
SERVER = """
import sys
from pictures import wines
from tripletree.ask import serve
from tripletree.cluster import OddOneOutClustering
serve(OddOneOutClustering(), wines()[0].iloc[:, :6], answers=sys.argv[1], open_browser=False, who="anna", title="Wines",
      show="all")
"""


def hierarchy_page(browser, folder):
    """Take the page of the mammals."""
    from pictures import write_page

    write_page(folder / "site")
    page = browser.open(folder / "site" / "mammals.html", 1100, 620)
    for name in ("Primates", "Rodentia", "Laurasiatheria", "Marsupialia"):
        page.run(f"tripletree.fold(tripletree.find({name!r})[0])")
    page.run("tripletree.goTo(tripletree.find('Afrotheria')[0])")
    page.click_on("#fit")
    page.screenshot(DOCS / "look_page.png")


def questions(browser, folder):
    """Take the page that asks, after a dozen answers of somebody who knows the wines."""
    from pictures import wines

    table, kinds, _ = wines()
    kind = dict(zip(table.index, kinds, strict=True))
    path = os.pathsep.join([str(DOCS), str(DOCS.parent)])
    command = [sys.executable, "-c", SERVER, str(folder / "answers.jsonl")]
    server = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True)
    try:
        page = browser.open(server.stdout.readline().strip(), 1100, 620)
        ready = "Array.from(document.querySelectorAll('#ask, .tt-side')).every((x) => x.ariaBusy === 'false')"
        for _ in range(12):
            page.wait(ready)
            names = page.run("Array.from(document.querySelectorAll('.tt-card .tt-name'), (x) => x.textContent)")
            said = [kind[name] for name in names]
            odd = [k for k, x in enumerate(said) if said.count(x) == 1]
            page.press("a" if not odd else str(odd[0] + 1) if len(odd) == 1 else "d")
        page.wait(ready)
        page.screenshot(DOCS / "look_questions.png")
    finally:
        server.kill()
        server.wait()


def main():
    """Take both."""
    from browser import Browser

    with tempfile.TemporaryDirectory() as name:
        browser = Browser(Path(name) / "chromium")
        try:
            hierarchy_page(browser, Path(name))
            questions(browser, Path(name))
        finally:
            browser.close()


if __name__ == "__main__":
    main()
