"""Reads an HTML fragment strictly enough to see a mistake in it."""

from html.parser import HTMLParser

VOID = {"br", "img", "link", "meta", "input", "hr", "wbr"}


class Fragment(HTMLParser):
    """The fragment's elements as (tag, attributes), its text, and what is wrong with it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.text = ""
        self.faults = []
        self._open = []
        self.roots = 0
        self.feed(text)
        self.close()
        if self._open:
            self.faults.append(f"never closed: {self._open}")

    def handle_starttag(self, tag, attributes):
        if not self._open:
            self.roots += 1
        names = [name for name, _ in attributes]
        if len(set(names)) != len(names):
            self.faults.append(f"<{tag}> has an attribute twice")
        for name in names:
            if name == "style" or name.startswith("on"):
                self.faults.append(f"<{tag}> has {name}=")
        if tag in ("script", "style"):
            self.faults.append(f"<{tag}>")
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        if not self._open or self._open[-1] != tag:
            self.faults.append(f"</{tag}> while {self._open} is open")
        else:
            self._open.pop()

    def handle_data(self, data):
        if not self._open and data.strip():
            self.faults.append(f"text outside: {data!r}")
        self.text += data

    def links(self):
        return [attributes.get("href") for tag, attributes in self.elements if tag == "a"]


def card(answered, state):
    """The answer's only section, in this state; fails where anything is wrong with it."""
    fragment = Fragment(answered.text)
    assert not fragment.faults, (fragment.faults, answered.text)
    assert fragment.roots == 1, answered.text
    tag, attributes = fragment.elements[0]
    assert tag == "section" and "weather" in attributes["class"].split(), answered.text
    assert attributes["data-state"] == state, answered.text
    return fragment


def assert_failed(answered, status, *words):
    """A failure is a problem in JSON, or a fragment with Retry; nothing may keep it."""
    assert answered.status == status, answered
    assert answered["Cache-Control"] == "no-store", answered
    kind = answered["Content-Type"]
    if kind.startswith("text/html"):
        fragment = card(answered, "failed")
        said = fragment.text
        if status >= 500:
            retries = [attributes for name, attributes in fragment.elements if attributes.get("class") == "retry"]
            assert len(retries) == 1 and retries[0]["href"] == "", answered.text
            # Without the attribute Retry helps at once.
            assert int(retries[0].get("data-retry-after", 1)) >= 1, answered.text
    elif kind.startswith("application/problem+json"):
        problem = answered.json()
        assert problem["status"] == status and problem["title"] and problem["type"], problem
        said = problem["detail"]
    else:
        assert kind.startswith("text/plain"), answered
        said = answered.text
    assert len(said.strip()) > 10, answered
    for word in words:
        assert word in said, answered
    return said
