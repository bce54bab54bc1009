"""The common parts of report pages: no script, no outside parts, tables that scroll."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from mechdesign.version import __version__
from mechdesign_figures.reports.sheet import STYLE

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What the page forbids itself: everything but its own style and the pixels of its picture."""

PROVE_AGAIN = (
    "<p>All of this can be proved again from the document alone: by <code>mechdesign check FILE.json</code>, and by "
    "<code>python -m mechdesign.verify FILE.json</code>, which uses nothing but whole numbers and the standard "
    "library.</p>"
)

_ID = re.compile(r'(\bid="|href="#|url\(#)')


def whole_page(title: str, words: str, sections: Iterable[str]) -> str:
    """Write a page that needs no other file; `words` stand below its title."""
    body = "\n".join(sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{escape(title)}</h1>\n<p class="asked">{escape(words)}</p>\n{body}\n</main>\n'
        f"<footer><p>Written by mechdesign {escape(__version__)}. It has no script and loads nothing.</p></footer>\n"
        "</body>\n</html>\n"
    )


def section(title: str, inner: str) -> str:
    """Write a section with its heading."""
    return f"<section>\n<h2>{escape(title)}</h2>\n{inner}\n</section>"


def paragraphs(sentences: Iterable[str]) -> str:
    """Write a paragraph for each text."""
    return "\n".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def table(caption: str, rows: Iterable[tuple[str, str]]) -> str:
    """Write a table of names and texts."""
    lines = "\n".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>' for name, text in rows)
    return scrolled(caption, lines)


def scrolled(caption: str, rows: str, kind: str = "plain") -> str:
    """Write a table that scrolls by itself where it is wider than the page, by keyboard too."""
    named = escape(caption)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{named}">'
        f'<table class="{kind}">\n<caption>{named}</caption>\n{rows}\n</table></div>'
    )


def svg_figure(drawn: str, words: str, elsewhere: str) -> str:
    """Put a picture into the page; `elsewhere` says where its numbers are, to those who do not see it."""
    picture = _ID.sub(r"\g<1>heat-", drawn[drawn.index("<svg") :])
    named = picture.replace("<svg ", f'<svg role="img" aria-label="{words}; {elsewhere}" ', 1)
    return f"<figure>\n{named}<figcaption>{words}.</figcaption>\n</figure>"


def grid(caption: str, header: Sequence[str], rows: Iterable[tuple[bool, Sequence[str]]]) -> str:
    """Write a table with a header; rows that are marked stand out."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    lines = []
    for own, cells in rows:
        inner = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr class="own">{inner}</tr>' if own else f"<tr>{inner}</tr>")
    body = "\n".join(lines)
    return scrolled(caption, f"<tr>{head}</tr>\n{body}")
