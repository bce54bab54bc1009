"""The configuration of the documentation site: MyST, notebooks, furo, offline mathematics."""

import os
import sys
from importlib import metadata
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # for cells of commands

from extensions.docstrings import read_plainly
from extensions.elsewhere import link_elsewhere
from extensions.pages import write_generated_pages
from extensions.signatures import write_plainly

MATHJAX = "tex-svg-full.js"
"""The one file of MathJax 3 that draws every formula and asks no server for anything (MathJax 4 asks one for fonts)."""

project = "mechdesign"
author = "The mechdesign authors"
copyright = author
release = metadata.version("mechdesign")
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "explanation/tables", "extensions"]
smartquotes = False  # `--props` stays as it is typed
nitpicky = True
nitpick_ignore = [  # type variables, and types of pyarrow, which is imported where it is used
    ("py:class", "mechdesign_catalog.comparisons.frequency_metrics.F"),
    ("py:class", "pa.NativeFile"),
    ("py:class", "pq.ParquetFile"),
    ("py:class", "mechdesign.counts.measuring.Expected_co"),
    ("py:class", "mechdesign.sweeps.landscape.Score"),
    ("py:class", "mechdesign.documents.stored.Parsed"),
    ("py:class", "mechdesign.certificate.design.AnyMechanism"),
    ("py:class", "mechdesign.certificate.design.AskedProblem"),
    ("py:class", "mechdesign.calibration.J"),
]

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "auto"
nb_execution_in_temp = True  # files that a notebook writes do not stay
nb_execution_timeout = 120  # seconds for a cell
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

mathjax_path = MATHJAX
html_theme = "furo"
html_title = "mechdesign"
html_static_path = [
    "keyboard.js",
    *(str(file.locate()) for file in metadata.files("sphinx-mathjax-offline") or () if file.name == MATHJAX),
]
html_js_files = ["keyboard.js"]
html_copy_source = False
html_show_sphinx = False


def setup(app: Sphinx) -> None:
    """Make the generated pages first, read docstrings as they are written, link what is far; consoles have no colours.

    The lexer of consoles colours the 0 of 0.9 and leaves the 9.
    """
    app.add_lexer("console", TextLexer)
    app.connect("builder-inited", write_generated_pages)
    app.connect("autodoc-process-docstring", read_plainly)
    app.connect("autodoc-process-signature", write_plainly)
    app.connect("missing-reference", link_elsewhere)
