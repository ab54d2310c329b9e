"""How Sphinx makes the site. Read by `sphinx-build -c`, and by nothing else."""

from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

project = "chatd"
root_doc = "index"
extensions = ["myst_parser"]

# Anchors as code forges make them, for headings of every level that pages have.
myst_heading_anchors = 4

html_theme = "furo"
html_title = "chatd"
html_static_path = [str(HERE / "static")]
html_css_files = ["chatd.css"]
html_search_scorer = str(HERE / "scorer.js")
html_favicon = str(HERE.parents[1] / "web" / "public" / "icon.svg")
# Furo would offer to show the source of a page.
html_theme_options: dict[str, list[str]] = {"top_of_page_buttons": []}
# The pages are in the repository already.
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_use_index = False
html_permalinks_icon = "#"

pygments_style = "friendly"
pygments_dark_style = "github-dark"


def setup(app: Any) -> None:
    """A script of the scripted model is text to a highlighter; a fence that says so makes it run."""
    from pygments.lexers.special import TextLexer  # noqa: PLC0415 - a module of its own in Sphinx's process

    app.add_lexer("script", TextLexer)
