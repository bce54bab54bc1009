"""Configure the documentation site: MyST pages and notebooks, furo, and mathematics without a network."""

from importlib import metadata

MATHJAX = "tex-svg-full.js"
"""The one file of MathJax 3 that draws every formula and asks no server for anything (MathJax 4 asks one for fonts)."""

project = "mechdesign"
author = "The mechdesign authors"
copyright = author
release = metadata.version("mechdesign")
language = "en"

extensions = ["myst_nb", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
smartquotes = False  # `--props` stays as it is typed
nitpicky = True

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "auto"
nb_execution_in_temp = True  # files that a notebook writes do not stay
nb_execution_timeout = 120  # seconds for a cell
nb_execution_show_tb = True
nb_merge_streams = True

mathjax_path = MATHJAX
html_theme = "furo"
html_title = "mechdesign"
html_static_path = [
    str(file.locate()) for file in metadata.files("sphinx-mathjax-offline") or () if file.name == MATHJAX
]
html_copy_source = False
html_show_sphinx = False
