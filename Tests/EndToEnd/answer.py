"""An HTTP answer, whichever way it came: over HTTP, FastCGI or CGI."""

import json


class Answer:
    """Status, header fields (in order, as they came) and body."""

    def __init__(self, status, fields, body, errors=b""):
        self.status = status
        self.fields = fields
        self.body = body
        self.errors = errors

    def __getitem__(self, name):
        """The field's value, or None. A field that comes twice is a fault of its own."""
        values = [value for field, value in self.fields if field.lower() == name.lower()]
        assert len(values) < 2, f"{name} came {len(values)} times: {values}"
        return values[0] if values else None

    @property
    def text(self):
        return self.body.decode("utf-8")

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.fields} {self.body[:400]!r} {self.errors[:400]!r}>"


def parsed_fields(block):
    """The fields of a header block without its empty line."""
    fields = []
    for line in block.decode("latin-1").split("\n"):
        line = line.rstrip("\r")
        if line:
            name, colon, value = line.partition(":")
            assert colon, f"no header field: {line!r}"
            fields.append((name, value.strip()))
    return fields


def from_cgi(output, errors=b""):
    """What a CGI program wrote (RFC 3875, section 6) as an answer."""
    assert output, f"the answer is empty; errors: {errors!r}"
    for end in (b"\r\n\r\n", b"\n\n"):
        block, separator, body = output.partition(end)
        if separator:
            break
    assert separator, f"no end of the header in {output[:400]!r}"
    fields = parsed_fields(block)
    status = 200
    for name, value in fields:
        if name.lower() == "status":
            status = int(value[:3])
    return Answer(status, [(n, v) for n, v in fields if n.lower() != "status"], body, errors)
