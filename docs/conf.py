"""Settings of sphinx for the site; ``docs/build.py`` puts the sources together that it is run on."""

import os
import re
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent

project = "tripletree"
author = "The tripletree developers"
project_copyright = "The tripletree developers"
version = release = import_module("tripletree").__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "numpydoc", "sphinx_copybutton"]
root_doc = "index"
templates_path = ["_templates"]  # examples before the long notes
exclude_patterns = ["_build"]
default_role = "py:obj"
nitpicky = False  # single backquotes in docstrings mark all kinds of words; links of pages are checked regardless

nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
# notebooks may skip a level of headings
suppress_warnings = ["myst.header"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"  # "fit()": with its class before it, it is wider than the list
highlight_language = "none"  # blocks without a language are commands and tables
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_validation_checks = set()
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"tripletree {version}"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_extra_path = ["extra"]
html_css_files = ["site.css"]
# On a host that keeps several versions the header lists them; the list is that of the latest, whichever is looked at.
hosted = os.environ.get("READTHEDOCS_CANONICAL_URL", "")
latest = re.sub(r"/[^/]+/$", "/latest/", hosted)
html_theme_options = {
    "logo": {"text": "tripletree"},
    "show_nav_level": 1,
    "navigation_depth": 3,
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navbar_end": [*(["version-switcher"] if hosted else []), "theme-switcher"],
    "switcher": {"json_url": f"{latest}versions.json", "version_match": version},
    "check_switcher": False,  # it lies there once the site does
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = dict.fromkeys(["index", "start", "concepts", "looking", "functions", "papers"], [])

numpydoc_xref_aliases = (
    {
        name.rpartition(".")[2]: name
        for name in (HERE / "api" / "names.txt").read_text(encoding="utf-8").split()
        if name.rpartition(".")[2][0].isupper()
    }
    if (HERE / "api").exists()
    else {}
)

NEXT_ENTRY = re.compile(r"(?<=\.) (?=[A-Za-z_][\w.]*(?:, [A-Za-z_][\w.]*)* : )")
PLAIN_CALL = re.compile(r"(?:tt\.|tripletree\.)?((?:[a-z_]+\.)?\w+)(?:\(.*\))?$", re.DOTALL)


def known_names():
    """Return what each word of code in a text links to: the full name of a public thing by its short one."""
    names = {}
    for line in (HERE / "api" / "names.txt").read_text(encoding="utf-8").splitlines():
        short = line.removeprefix("tripletree.")
        names.setdefault(short.rpartition(".")[2], line)
        names[short] = line
    return names


def one_a_line(app, what, name, thing, options, lines):
    """Put each entry of a See Also section on a line of its own, as numpydoc wants them."""
    if "See Also" in lines:
        start = lines.index("See Also") + 2
        end = next((k for k in range(start, len(lines)) if lines[k].startswith("---")), len(lines) + 1) - 1
        lines[start:end] = [part for line in lines[start:end] for part in NEXT_ENTRY.split(line)]


def escaped(app, what, name, thing, options, lines):
    """Keep ``|A|`` and ``labels_`` in the prose of docstrings from being read as references."""
    literal, code = None, False
    for k, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        code = bool(line.strip()) and (code or line.lstrip().startswith(">>>"))
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        if literal is None and not code and "``" not in line:
            line = re.sub(r"(?<![\\`\w|])\|(\w+)\|(?![`|\w])", r"\\|\1\\|", line)
            lines[k] = re.sub(r"(?<![`\w\\*:])([A-Za-z]\w*)_(?=[\s,.;)=]|$)", r"\1\\_", line)
        if line.rstrip().endswith("::") and not line.lstrip().startswith(".."):
            literal = indent


def linked(app, doctree, docname):
    """Make code in running text that is the name of a public thing a link to it."""
    from docutils import nodes
    from sphinx.domains.python import PythonDomain

    domain = app.env.get_domain(PythonDomain.name)
    for literal in list(doctree.findall(nodes.literal)):
        inside = (nodes.reference, nodes.title, nodes.FixedTextElement)
        if literal.get("classes") == ["xref"] or any(isinstance(x, inside) for x in ancestors(literal)):
            continue
        match = PLAIN_CALL.match(literal.astext())
        name = app.tripletree_names.get(match[1], literal.astext()) if match else None
        entry = domain.objects.get(name) if name else None
        if entry is None or entry.docname == docname:
            continue
        uri = app.builder.get_relative_uri(docname, entry.docname) + "#" + entry.node_id
        literal.replace_self(nodes.reference("", "", literal.deepcopy(), internal=True, refuri=uri, reftitle=name))


def captioned(app, doctree, docname):
    """Give each picture that stands alone a caption: what its alternative text says."""
    from docutils import nodes

    for number, image in enumerate(list(doctree.findall(nodes.image))):
        paragraph = image.parent
        if not isinstance(paragraph, nodes.paragraph) or len(paragraph) != 1 or not image.get("alt"):
            continue
        caption = nodes.caption("", "", nodes.Text(image["alt"].removesuffix(".") + "."))
        paragraph.replace_self(nodes.figure("", image.deepcopy(), caption, align="default", ids=[f"figure-{number}"]))


def ancestors(node):
    """Yield the nodes around one."""
    while node.parent is not None:
        node = node.parent
        yield node


def resolved(app, env, node, contnode):
    """Find what a docstring names without its module, such as `one_tree` in one of tripletree.cluster."""
    from sphinx.util.nodes import make_refnode

    if node.get("refdomain") != "py":
        return None
    name = app.tripletree_names.get(node["reftarget"].removeprefix("tripletree.").removeprefix("tt."))
    entry = env.get_domain("py").objects.get(name) if name else None
    if entry is None:
        return None
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, name)


def skipped(app, what, name, thing, skip, options):
    """Leave out members that come from other libraries."""
    plain = getattr(thing, "__func__", None) or getattr(thing, "fget", None) or getattr(thing, "func", thing)
    home = getattr(plain, "__module__", None) or getattr(getattr(plain, "__objclass__", None), "__module__", None)
    foreign = isinstance(home, str) and not home.startswith("tripletree")
    routing = name.startswith("set_") and name.endswith("_request")
    return True if foreign or routing else None


def setup(app):
    """Connect the functions above."""
    from numpydoc import xref

    xref.DEFAULT_LINKS.clear()  # they lead to the pages of Python and numpy, which are not looked up here
    app.tripletree_names = known_names()
    app.connect("autodoc-process-docstring", one_a_line, priority=400)  # before numpydoc
    app.connect("autodoc-process-docstring", escaped, priority=600)  # after numpydoc
    app.connect("doctree-resolved", linked)
    app.connect("doctree-resolved", captioned)
    app.connect("missing-reference", resolved)
    app.connect("autodoc-skip-member", skipped)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
