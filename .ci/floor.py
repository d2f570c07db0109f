"""Print the oldest version of every dependency that setup.cfg allows, as constraints for pip (`make test-floor`).

The list in setup.cfg is the only one: `numpy >= 1.26` there is `numpy == 1.26` here, for the package and for the extras
named as arguments. The tools of the tests are not held back.
"""

import configparser
import re
import sys
from pathlib import Path

config = configparser.ConfigParser()
config.read(Path(__file__).parents[1] / "setup.cfg", encoding="utf-8")
extras = config["options.extras_require"]
wanted = "\n".join([config["options"]["install_requires"], *(extras[name] for name in sys.argv[1:])])
for line in dict.fromkeys(wanted.split("\n")):
    if line:
        found = re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])? >= ([\w.]+)", line)
        if not found:
            sys.exit(f"setup.cfg: expected 'name >= version', got {line!r}")
        sys.stdout.write(f"{found[1]} == {found[2]}\n")
