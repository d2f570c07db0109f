"""The picture at the top of the README: the one of notebook 04, so that it is what the code draws.

``python docs/front.py`` writes docs/front.png after the notebook has been executed again.
"""

import base64
import json
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
NOTEBOOK = HOUSE / "notebooks" / "04_my_ontology_my_samples.ipynb"


def picture() -> bytes:
    """The last picture of the notebook, as PNG."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    found = [o["data"]["image/png"] for c in cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})]
    return base64.b64decode(found[-1])


if __name__ == "__main__":
    (HOUSE / "docs" / "front.png").write_bytes(picture())
