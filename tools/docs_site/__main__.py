"""Builds the documentation as a site into build/site: `make docs`."""

import argparse
import shutil
import sys
from pathlib import Path

from tools.docs_site.building import build
from tools.docs_site.navigation import Wrong
from tools.docs_site.serving import PORT, serve

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
WORKING = ROOT / "build" / "site-source"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make docs", description=__doc__)
    help_ = f"serve it at port {PORT} of this machine, and build it again when a page changes"
    parser.add_argument("--serve", action="store_true", help=help_)
    arguments = parser.parse_args()
    shutil.rmtree(WORKING, ignore_errors=True)
    if arguments.serve:
        serve(ROOT, SITE, lambda: build(ROOT, SITE, WORKING))
        return
    try:
        build(ROOT, SITE, WORKING)
    except Wrong as wrong:
        sys.exit(str(wrong))
    print(f"The documentation is in {SITE.relative_to(ROOT)}: open {SITE.relative_to(ROOT)}/index.html.")


if __name__ == "__main__":
    main()
