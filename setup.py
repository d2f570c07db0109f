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
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
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
#: Compiled files are kept here, for `pip install` and for `make core` alike.
BUILT = Path("build", "core")
OPTIONS = ["-std=c++20", "-O3", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off", "-DNDEBUG"]


def compiler():
    """Return the compiler on this machine as a list of words, None if there is none."""
    named = os.environ.get("CXX", "").split()
    if named:
        return named
    found = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    return None if found is None else [found]


def is_new(out, needs):
    """Whether a compiled file is newer than all files that it was made of, which the compiler has listed in `needs`."""
    if not (out.exists() and needs.exists()):
        return False
    made_of = shlex.split(needs.read_text(encoding="utf-8").replace("\\\n", " ").partition(": ")[2])
    return not any(os.path.exists(x) and os.path.getmtime(x) > out.stat().st_mtime for x in made_of)


class BuildCore(build_ext):
    """Compile the core with whatever compiler there is: in parallel, and only files that have changed."""

    def build_extension(self, extension):
        """Make the library of the core."""
        import nanobind

        tool = compiler() or ([sys.executable, "-m", "ziglang", "c++"] if find_spec("ziglang") else None)
        if tool is None:
            sys.exit(
                "tripletree: no C++ compiler was found, and the package index does not offer `ziglang`, which can "
                "stand in for one. Install a compiler (Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; "
                "macOS: xcode-select --install; conda: conda install cxx-compiler) and install tripletree again"
            )
        headers = sysconfig.get_paths()["include"]
        if not Path(headers, "Python.h").exists():
            sys.exit(
                f"tripletree: Python's headers are not in {headers}, and the package is compiled with them. Install "
                "them (Debian, Ubuntu: apt install python3-dev; Fedora: dnf install python3-devel) and install "
                "tripletree again"
            )
        source = Path(nanobind.source_dir())
        includes = nanobind.include_dir(), str(source.parent / "ext" / "robin_map" / "include"), headers
        more = os.environ.get("CXXFLAGS", "").split()
        command = [*tool, *OPTIONS, *more, *(word for path in includes for word in ("-isystem", path))]
        kind = repr((tool, OPTIONS, more, sys.version, nanobind.__version__))  # pip puts nanobind elsewhere each time
        folder = BUILT / sha256(kind.encode()).hexdigest()[:12]
        folder.mkdir(parents=True, exist_ok=True)

        def compiled(path):
            out, needs = folder / f"{path.stem}.o", folder / f"{path.stem}.d"
            if not is_new(out, needs):
                part = folder / f"{path.stem}.part.o"  # an interrupted run leaves no half of a file that looks whole
                begin = time.time()
                subprocess.run([*command, "-MMD", "-MF", str(needs), "-c", str(path), "-o", str(part)], check=True)
                os.utime(part, (begin, begin))  # what is edited meanwhile is newer
                part.replace(out)
            return str(out)

        files = [*map(Path, extension.sources), source / "nb_combined.cpp"]
        files.sort(key=lambda path: -path.stat().st_size)  # the longest first, so that no processor waits at the end
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(compiled, files))
        library = Path(self.get_ext_fullpath(extension.name))
        library.parent.mkdir(parents=True, exist_ok=True)
        link = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else [] if more else ["-Wl,-s"]
        subprocess.run([*tool, "-shared", *more, *link, *objects, "-o", str(library)], check=True)


setup(
    long_description=readme(),
    ext_modules=[Extension("tripletree._core.engine", sorted(map(str, CORE.glob("*.cpp"))))],
    cmdclass={"build_ext": BuildCore},
    setup_requires=[] if compiler() else ["ziglang >= 0.13"],
    packages=[*find_packages(include=["tripletree", "tripletree.*"]), "tripletree.sample_hierarchies"],
    package_dir={"tripletree.sample_hierarchies": "sample_hierarchies"},
)
