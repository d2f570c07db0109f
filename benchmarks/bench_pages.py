"""Pages: seconds to make one, its size, and the milliseconds that a frame takes in Chromium.

Scroll, point and all rows are what the page's own drawing takes; between is the time from frame to frame while it
scrolls, whatever takes it: 16.7 ms at best, 60 frames a second. Needs Chromium; without it, only the first columns.
"""

import tempfile
from pathlib import Path

import numpy as np
from _harness import Table, cpu_seconds
from browser import Browser, chromium
from examples import caterpillar, star, yule

from tripletree.algorithms.induce import sample_triplets
from tripletree.plots.page import to_html

SIZES = (50, 500, 5_000, 100_000)


def cases():
    for n in SIZES:
        yield f"random binary, {n:,}", yule(n, np.random.default_rng(0))
    for make in (caterpillar, star):
        yield f"{make.__name__}, 5,000", make(5_000)


def frames(page, gesture, times=40):
    """Median and most milliseconds of a frame after each of many gestures."""
    taken = []
    for step in range(times):
        gesture(step)
        page.frames(2)
        taken.append(page.state()["frame"])
    return float(np.median(taken)), max(taken)


#: Milliseconds between frames while a page scrolls on its own.
SCROLLING = """
(async () => {
  const view = document.querySelector("#view"), times = [];
  for (let k = 0; k < 60; k++) {
    view.scrollTop = 331 * k;
    times.push(await new Promise((go) => requestAnimationFrame(go)));
  }
  return times.slice(1).map((t, k) => t - times[k]);
})()
"""


def measured(browser, path):
    """Open, scroll everything unfolded, move the pointer, and look at all rows at once."""
    page = browser.open(path)
    opened = page.run("performance.now()")
    page.click_on("#unfold")
    scrolled = frames(page, lambda step: page.run(f"document.querySelector('#view').scrollTop = {997 * step}"))
    between = page.run(SCROLLING)
    pointed = frames(page, lambda step: page.mouse("mouseMoved", 60 + 15 * step, 150 + 10 * step))
    page.click_on("#fit")
    fitted = page.state()["frame"]
    assert page.complaints() == []
    page.close()
    return opened, *scrolled, float(np.median(between)), max(between), *pointed, fitted


def main():
    table = Table(
        "pages: CPU seconds and megabytes to make one; wall milliseconds in Chromium to open it and to draw a frame",
        [
            *(("case", 22), ("make", 8), ("MB", 6), ("open", 7), ("scroll", 7), ("most", 6)),
            *(("between", 8), ("most", 6), ("point", 7), ("most", 6), ("all rows", 9)),
        ],
    )
    with tempfile.TemporaryDirectory() as folder:
        browser = None if chromium() is None else Browser(Path(folder) / "profile")
        for name, h in cases():
            triplets = sample_triplets(h, h.n_leaves, random_state=0) if h.n_nodes > h.n_leaves + 1 else None
            clusters = np.arange(h.n_leaves) * 5 // h.n_leaves
            seconds, page = cpu_seconds(
                lambda h=h, t=triplets, c=clusters: to_html(h, triplets=t, clusters=c, classes=c), repeat=2
            )
            path = Path(folder) / "page.html"
            path.write_text(page, encoding="utf-8")
            times = (None,) * 8 if browser is None else measured(browser, path)
            table.add(name, seconds, len(page.encode()) / 1e6, *times)
        if browser is not None:
            browser.close()
    table.done()


if __name__ == "__main__":
    main()
