"""The parts that pages share: the frame with its policy, sections, tables that scroll."""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape

from mechdesign.pages.assets import style
from mechdesign.version import __version__

PROVE_AGAIN = (
    "<p>All of this can be proved again from the document alone: by <code>mechdesign check FILE.json</code>, and by "
    "<code>python -m mechdesign.verify FILE.json</code>, which uses nothing but whole numbers and the standard "
    "library.</p>"
)

_ID = re.compile(r'(\bid="|href="#|url\(#)')


@dataclass(frozen=True)
class Looks:
    """A style sheet and a policy for a page, and the script that it has, or none."""

    style: str
    script: str | None = None

    @property
    def policy(self) -> str:
        """What the page forbids itself: everything but its own style, and its script or the pixels of its picture."""
        if self.script is None:
            return "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        own = f"script-src '{digest(self.script)}'; style-src '{digest(self.style)}'"
        return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


REPORT = Looks(style("files/style/tokens.css", "report.css"))
"""A report: no script, light and dark, narrow and wide, on screen and on paper."""


def digest(text: str) -> str:
    """Return the name of a script or a style in a policy."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def whole_page(title: str, words: str, sections: Iterable[str], looks: Looks = REPORT) -> str:
    """Write a page that needs no other file; `words` stand below its title."""
    body = "\n".join(sections)
    script = "" if looks.script is None else f"<script>{looks.script}</script>\n"
    has = "It has no script and" if looks.script is None else "Its script draws; it"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{looks.policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{looks.style}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{escape(title)}</h1>\n<p class="asked">{escape(words)}</p>\n{body}\n</main>\n'
        f"<footer><p>Written by mechdesign {escape(__version__)}. {has} loads nothing.</p></footer>\n"
        f"{script}</body>\n</html>\n"
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
