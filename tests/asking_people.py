"""People in front of the page that asks, for the tests in a real browser."""

#: From a phone, upright and on its side, to a large screen.
WINDOWS = [
    (320, 568), (390, 844), (667, 375), (768, 1024), (1024, 768), (1280, 720), (1440, 900), (1920, 1080), (2560, 1440),
]  # fmt: skip
#: Cards and buttons that are cut off at the sides, too small for a finger, or on top of each other.
MISPLACED = """
(() => {
  const all = document.querySelectorAll(".tt-card, .tt-replies button, .tt-rows li");
  const boxes = Array.from(all, (x) => x.getBoundingClientRect());
  const wide = document.documentElement.clientWidth;
  const wrong = boxes.filter((b) => b.left < 0 || b.right > wide + 0.5 || b.height < 40 || b.width < 60);
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) wrong.push(a);
  }));
  return wrong.length;
})()
"""


class Person:
    """Somebody in front of a page."""

    def __init__(self, browser, address, who=None, **window):
        self.own = address
        self.page = browser.open(address + (f"?who={who}" if who else ""), **window)
        self.wait()

    def wait(self):
        self.page.wait(
            "!document.querySelector('#ask').hasAttribute('aria-busy') ? false : "
            "Array.from(document.querySelectorAll('#ask, .tt-side')).every((x) => x.ariaBusy !== 'true')"
        )

    def press(self, key):
        self.page.call("Page.bringToFront")  # only a page in front draws frames
        self.page.press(key)
        self.wait()

    def shown(self):
        return self.page.run("Array.from(document.querySelectorAll('.tt-card .tt-name')).map((x) => x.textContent)")

    def seen(self):
        """All that the page says, but for the line of notices."""
        return self.page.run(
            "(() => { const s = document.querySelector('.tt-status'), t = s.textContent; s.textContent = '';"
            " const all = document.querySelector('#ask').innerText; s.textContent = t; return all; })()"
        )

    def reload(self):
        self.page.run("window.old = true")
        self.page.call("Page.reload")
        self.page.wait("window.old === undefined && document.querySelector('#ask') !== null")
        self.wait()

    def close(self):
        """Nothing was said on the console, and nothing asked of anybody but the server."""
        found = self.page.complaints(own=[self.own])
        self.page.close()
        assert found == []
