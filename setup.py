"""Names the packages: all that lie in tripletree/, and the sample hierarchies, which lie beside it."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["tripletree", "tripletree.*"]), "tripletree.sample_hierarchies"],
    package_dir={"tripletree.sample_hierarchies": "sample_hierarchies"},
)
