"""axe-core on a page, in the browser."""

from importlib.resources import files

SCRIPT = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def violations(tab):
    """What axe finds wrong with the page as it is now, in words; empty where it finds nothing."""
    if not tab.js("return typeof axe === 'object'"):
        tab.js(SCRIPT)
    result = tab.js_later("""
        const done = arguments[arguments.length - 1];
        // Preloading would read the style sheets again, into styles that the policy forbids.
        axe.run(document, { resultTypes: ["violations"], preload: false }).then(
          ({ violations, passes }) => done({
            passed: passes.length,
            found: violations.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) =>
              `${id}: ${help}\\n  ${html.slice(0, 300)}\\n  ${failureSummary.replaceAll("\\n", "\\n  ")}`)),
          }),
          (error) => done({ error: String(error) }));
    """)
    assert "error" not in result, result["error"]
    assert result["passed"] > 5, "axe has hardly looked at anything"
    return result["found"]


def assert_accessible(tab, what):
    found = violations(tab)
    assert not found, f"axe on {what} ({tab.path}):\n" + "\n".join(found)
