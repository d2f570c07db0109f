"""Chromium without a window, spoken to over a pipe in its DevTools protocol: nothing but the standard library.

`browser = Browser(folder)` starts one; `page = browser.open(path)` loads a file, and the page's mouse and keys are
driven as a person would; `page.complaints()` lists its console messages and network requests.
"""

import base64
import contextlib
import fcntl
import io
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    *("--remote-debugging-pipe", "--force-device-scale-factor=1", "--mute-audio"),
)
#: The browser reads commands from 3 and writes answers to 4. It takes the place of a small Python that sets them so.
HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36}
SECONDS = 60.0


def chromium():
    """Path of the browser, or None: that which TRIPLETREE_CHROMIUM names, or the first on the PATH."""
    named = os.environ.get("TRIPLETREE_CHROMIUM")
    return named or next((found for found in map(shutil.which, NAMES) if found), None)


class Browser:
    def __init__(self, folder, path=None):
        to_read, to_write = os.pipe(), os.pipe()
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_read[0], to_write[1])]
        self.process = subprocess.Popen(
            [sys.executable, "-c", HAND_OVER, *map(str, ends), path or chromium(), *FLAGS, f"--user-data-dir={folder}"],
            pass_fds=ends,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for fd in (to_read[0], to_write[1], *ends):
            os.close(fd)
        self.commands, self.answers = to_read[1], to_write[0]
        self.rest, self.number, self.events = b"", 0, []

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data) :]
        until = time.monotonic() + SECONDS
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def message(self, until):
        """The next message, an answer or an event."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(until - time.monotonic(), 0))
            if not ready:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def open(self, path, width=1200, height=800, dark=False, scale=1, before=""):
        """Load a file or an address in a window of a size. `before` is a script that runs before those of the page."""
        address = str(path) if str(path).startswith("http:") else Path(path).resolve().as_uri()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.resize(width, height, scale)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        page.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        page.call("Page.navigate", url=address)
        page.wait("document.readyState === 'complete' && location.protocol !== 'about:'")
        page.frames(2)
        return page

    def close(self):
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        os.close(self.commands)
        os.close(self.answers)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def resize(self, width, height, scale=1):
        size = {"width": width, "height": height, "deviceScaleFactor": scale}
        self.call("Emulation.setDeviceMetricsOverride", **size, mobile=False)

    def run(self, script):
        """Value of an expression in the page. A promise is waited for."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"])
        return done["result"].get("value")

    def frames(self, count=1):
        """Wait until so many frames were drawn."""
        one = "await new Promise((go) => requestAnimationFrame(go));"
        self.run(f"(async () => {{ {one * count} }})()")

    def wait(self, condition):
        until = time.monotonic() + SECONDS
        while not self.run(condition):
            if time.monotonic() > until:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def state(self):
        return self.run("tripletree.state()")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def point(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.frames(2)

    def click(self, x, y, modifiers=0):
        self.point(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1, modifiers=modifiers)
        self.frames(2)

    def click_on(self, selector):
        box = self.run(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.click(*box)

    def press(self, key, modifiers=0):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
        more = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **more, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **more)
        self.frames(2)

    def write(self, text):
        self.call("Input.insertText", text=text)
        self.frames(1)

    def place(self, node):
        return self.run(f"tripletree.place({node})")

    def complaints(self, own=()):
        """What the page wrote to the console, threw, or asked of the network, but for addresses of its own server."""
        self.run("0")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, what = event["method"], event["params"]
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                found.append((method, what))
            address = what.get("request", {}).get("url", "") if method == "Network.requestWillBeSent" else ""
            if address and not address.startswith(("file:", "data:", "about:", *own)):
                found.append((method, address))
        return found

    def screenshot(self, path):
        self.frames(2)
        Path(path).write_bytes(self.shot())

    def shot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pixels(self):
        """What is seen, whatever the page believes to have drawn: float[height, width, 3] from 0 to 1."""
        from matplotlib.image import imread

        return imread(io.BytesIO(self.shot()), format="png")[:, :, :3]
