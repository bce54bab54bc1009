"""Every page of the site opens without a network, asks nothing of others, draws its formulas and fits a telephone."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from studios import wait_until
from watching import Watch

DRAWN = "() => window.MathJax ? MathJax.startup.promise.then(() => true) : true"
FORMULAS = """() => {
    const all = [...document.querySelectorAll('.math')];
    const isDrawn = one => one.querySelector('mjx-container svg') && !one.querySelector('[data-mml-node=merror]');
    return [all.length, all.filter(one => !isDrawn(one)).map(one => one.textContent)];
}"""
WORDS = """() => {
    const copy = document.querySelector('article').cloneNode(true);
    copy.querySelectorAll('pre, code, .math, dt, script, style').forEach(one => one.remove());
    return copy.textContent;
}"""
PICTURES = """() => [...document.querySelectorAll('article img')]
    .filter(one => !one.complete || !one.naturalWidth || !one.alt.trim()).map(one => one.src)"""
UNREACHED = """() => [...document.querySelectorAll('article *')].filter(one => {
    const scrolls = /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth;
    return scrolls && one.tabIndex < 0;
}).map(one => one.outerHTML.slice(0, 80))"""
WIDTH = "() => document.documentElement.scrollWidth"
SCREEN, TELEPHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def reader(browser: Any, site: Path) -> Iterator[tuple[Any, Watch]]:
    """A page that reads the site from the disk, and its watch."""
    context = browser.new_context(viewport=SCREEN)
    watch = Watch(context, site.as_uri())
    yield context.new_page(), watch
    context.close()


def test_a_page_needs_nothing_else(reader, site, address):
    page, watch = reader
    page.set_viewport_size(SCREEN)
    page.goto((site / address).as_uri())
    page.evaluate(DRAWN)
    count, left = page.evaluate(FORMULAS)
    assert not left
    assert count == len(re.findall(r'class="math notranslate', (site / address).read_text(encoding="utf-8")))
    assert not re.findall(r"\\\(|\\\[|\$[^\s$]+\$", page.evaluate(WORDS))
    assert not page.evaluate(PICTURES)
    page.set_viewport_size(TELEPHONE)
    assert page.evaluate(WIDTH) <= TELEPHONE["width"]
    wait_until(lambda: not page.evaluate(UNREACHED))  # the page has to hear of its width
    assert not watch.faults()


def test_links_within_the_site_lead_somewhere(site, address):
    text = (site / address).read_text(encoding="utf-8")
    links = {unescape(link) for link in re.findall(r'(?:href|src)="([^"]*)"', text)}
    paths = {unquote(urlsplit(link).path) for link in links if not urlsplit(link).scheme}
    gone = [path for path in paths if path and not (site / address).parent.joinpath(path).is_file()]
    assert not gone


def test_there_are_pages_with_formulas(site):
    with_formulas = [path for path in site.rglob("*.html") if 'class="math notranslate' in path.read_text()]
    assert len(with_formulas) > 5
