"""The site, from pages to what a browser reads. A mistake on the way is an error."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.docs_site.links import wrong_links
from tools.docs_site.navigation import Wrong, read
from tools.docs_site.staging import Staging

MISSING = "Sphinx is not installed: run `make docs`, which sees to that."


def build(root: Path, site: Path, working: Path) -> None:
    """Replaces the site when all is well. Raises Wrong, with a line for each mistake.

    What `working` has from a build before is used again; mistakes in pages that did not change are not found
    then.
    """
    if importlib.util.find_spec("sphinx") is None:
        raise Wrong(MISSING)
    staging = Staging(root, working, read(root))
    staging.write()
    built = working / "site"
    _sphinx(staging, built, working / "doctrees")
    if mistakes := wrong_links(built):
        raise Wrong("\n".join(mistakes))
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(built, site, ignore=shutil.ignore_patterns(".buildinfo", "_sources"))


def _sphinx(staging: Staging, built: Path, doctrees: Path) -> None:
    command = [
        sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--nitpicky",
        "--builder", "html", "--conf-dir", str(Path(__file__).parent), "--doctree-dir", str(doctrees),
        "--define", f"html_extra_path={staging.files}", str(staging.pages), str(built),
    ]  # fmt: skip
    quiet = os.environ | {"NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet)
    if done.returncode:
        raise Wrong((done.stdout + done.stderr).strip())
