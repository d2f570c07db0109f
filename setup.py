"""Names the packages: all that lie in tripletree/, and the sample hierarchies, which lie beside it; and the README."""

import configparser
import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent


def readme():
    """Return the README with links that lead somewhere on a package index, once the repository has an address."""
    settings = configparser.ConfigParser()
    settings.read(HERE / "setup.cfg", encoding="utf-8")
    text = (HERE / "README.md").read_text(encoding="utf-8")
    urls = re.findall(r"^(\w+) *= *(\S+)$", settings["metadata"].get("project_urls", ""), re.MULTILINE)
    source = dict(urls).get("Source")
    if source is None:
        return text
    version = re.search(r'"(.+)"', (HERE / "tripletree" / "_version.py").read_text(encoding="utf-8"))[1]
    text = re.sub(r"(!\[[^\]]*\]\()(?![a-z]+:)", rf"\1{source}/raw/v{version}/", text)
    return re.sub(r"(?<!!)(\[[^\]]*\]\()(?![a-z]+:|#)", rf"\1{source}/blob/v{version}/", text)


setup(
    long_description=readme(),
    packages=[*find_packages(include=["tripletree", "tripletree.*"]), "tripletree.sample_hierarchies"],
    package_dir={"tripletree.sample_hierarchies": "sample_hierarchies"},
)
