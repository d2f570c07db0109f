"""The browser that the tests of pages run in."""

import pytest
from browser import Browser, chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if chromium() is None:
        pytest.skip("no Chromium on the PATH: install the package chromium, or name it in TRIPLETREE_CHROMIUM")
    running = Browser(tmp_path_factory.mktemp("chromium"))
    yield running
    running.close()
