"""Names the packages: all that lie in tripletree/, and the sample hierarchies, which lie beside it; and the README.

Builds the compiled core from ``tripletree/_core``. The compiler is ``CXX``, or the first of c++, g++ and clang++ on the
PATH. Where there is none, the wheel ``ziglang`` serves as one: pip fetches it for the build and drops it afterwards.
"""

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

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


CORE = Path("tripletree", "_core")
OPTIONS = ["-std=c++20", "-O3", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off", "-DNDEBUG"]


def compiler():
    """Return the compiler on this machine as a list of words, None if there is none."""
    named = os.environ.get("CXX", "").split()
    if named:
        return named
    found = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    return None if found is None else [found]


def is_stale(out):
    """Whether a compiled file is missing, or older than a file that it was made from: the compiler has listed them."""
    listed = out.with_suffix(".d")
    if not out.exists() or not listed.exists():
        return True
    files = shlex.split(listed.read_text().replace("\\\n", " ").partition(": ")[2])
    return not all(os.path.exists(x) and os.path.getmtime(x) <= out.stat().st_mtime for x in files)


class BuildCore(build_ext):
    """Compile the core with whatever compiler there is, each file by itself, and only files that have changed."""

    def build_extension(self, extension):
        """Make the library of the core."""
        import nanobind

        tool = compiler() or ([sys.executable, "-m", "ziglang", "c++"] if find_spec("ziglang") else None)
        if tool is None:
            sys.exit(
                "tripletree: no C++ compiler was found, and the package index does not offer `ziglang`, which can stand "
                "in for one. Install a compiler (Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; macOS: "
                "xcode-select --install; conda: conda install cxx-compiler) and install tripletree again"
            )
        source = Path(nanobind.source_dir())
        includes = [nanobind.include_dir(), source.parent / "ext" / "robin_map" / "include", sysconfig.get_paths()["include"]]
        options = OPTIONS + [f"-I{path}" for path in includes]
        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)

        def compiled(path):
            out = folder / f"{path.stem}.o"
            if is_stale(out):
                subprocess.run([*tool, *options, "-MMD", "-c", str(path), "-o", str(out)], check=True)
            return str(out)

        files = [*map(Path, extension.sources), source / "nb_combined.cpp"]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(compiled, files))
        library = Path(self.get_ext_fullpath(extension.name))
        library.parent.mkdir(parents=True, exist_ok=True)
        link = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-Wl,-s"]
        subprocess.run([*tool, "-shared", *link, *objects, "-o", str(library)], check=True)


setup(
    long_description=readme(),
    ext_modules=[Extension("tripletree._core.engine", sorted(map(str, CORE.glob("*.cpp"))))],
    cmdclass={"build_ext": BuildCore},
    setup_requires=[] if compiler() else ["ziglang >= 0.13"],
    packages=[*find_packages(include=["tripletree", "tripletree.*"]), "tripletree.sample_hierarchies"],
    package_dir={"tripletree.sample_hierarchies": "sample_hierarchies"},
)
