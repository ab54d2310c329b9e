"""Shows the site while one writes: serves it on this machine, and builds it again when a page has changed."""

import threading
import time
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tools.docs_site.navigation import FILE, Wrong
from tools.docs_site.staging import FROM_ROOT

PORT = 8000
LOOK_SECONDS = 0.5


def serve(root: Path, site: Path, build: Callable[[], None]) -> None:
    """Until Ctrl-C. A page with a mistake is told of, and what was built before is served meanwhile."""
    _try(build)
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", PORT), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"The documentation is at http://127.0.0.1:{PORT}. Ctrl-C ends it.")
        try:
            _build_on_changes(root, build)
        except KeyboardInterrupt:
            server.shutdown()


def _build_on_changes(root: Path, build: Callable[[], None]) -> None:
    seen = _written(root)
    while True:
        time.sleep(LOOK_SECONDS)
        if (now := _written(root)) != seen:
            seen = now
            _try(build)


def _written(root: Path) -> dict[Path, int]:
    files = [*(root / "docs").rglob("*.md"), *(root / name for name in (FILE, *FROM_ROOT))]
    return {path: path.stat().st_mtime_ns for path in files if path.exists()}


def _try(build: Callable[[], None]) -> None:
    try:
        build()
        print("Built.")
    except Wrong as wrong:
        print(wrong)
