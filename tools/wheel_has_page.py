"""Refuses to build a wheel or a source package without the web page, which git does not keep.

Hatchling runs it, as pyproject.toml says.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = "src/chatd/web/index.html"
WITHOUT_PAGE = "CHATD_BUILD_WITHOUT_PAGE"
# An installation that points at a checkout, as `make serve` makes it before it builds the page.
EDITABLE = "editable"


class WheelHasPage(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - as it is called
        if version == EDITABLE or (Path(self.root) / PAGE).exists() or os.environ.get(WITHOUT_PAGE):
            return
        self.app.abort(
            "The web page is not built: run `make wheel`, which builds it and needs Node.js 20.19 or newer, "
            f"or set {WITHOUT_PAGE}=1 for a package that serves only the API."
        )
