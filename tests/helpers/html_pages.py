"""The HTML of a notebook: its cells and tooltips, and whether every tag is closed."""

from html.parser import HTMLParser

PLAIN = {"div", "p", "b", "table", "caption", "tr", "th", "td"}


class Page(HTMLParser):
    """A page of HTML; `titles` are the tooltips, `text` everything that is shown."""

    def __init__(self, html):
        super().__init__()
        self.open, self.titles, self.texts, self.cells = [], [], [], 0
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in PLAIN, tag
        assert {name for name, _ in attrs} <= {"title", "style", "colspan"}
        self.open.append(tag)
        self.cells += tag == "td"
        self.titles += [value for name, value in attrs if name == "title"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return "\n".join(self.texts)
