"""Pages taken apart, and labels that try to leave their place in them."""

import json
from html.parser import HTMLParser

NASTY = [
    "</script><b>x</b>",
    "<!--<script>",
    "\"'&amp;",
    "",
    " ",
    "\x00\x1b",
    "\u2028\u2029",
    "語",
    "\ud800",
    "{{script}}",
    "\\u003c",
]


class Document(HTMLParser):
    """Elements of a page, and the text of scripts and styles."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.inside, self.texts = [], None, []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        self.texts.append((self.inside, data))

    def within(self, tag):
        return [text for inside, text in self.texts if inside == tag]

    @property
    def data(self):
        return json.loads(next(text for text in self.within("script") if text.startswith("{")))
