"""A Chromium for the journeys in a browser: one that is named, the machine's, or Debian's package.

Only the standard library is used here, since --ensure runs before anything else is known to be there.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

PROGRAM_VARIABLE = "CHATD_TEST_CHROMIUM"
# The names under which systems have it. What is made of the same source will do.
PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# Without recommended packages, among them fonts: the page shows letters with one of these.
APT_PACKAGES = ("chromium", "fonts-dejavu-core")

WHAT_TO_DO = f"Install your system's chromium package, or name a program in {PROGRAM_VARIABLE}."


def find_program() -> str | None:
    """Where Chromium is. None when there is none."""
    named = os.environ.get(PROGRAM_VARIABLE)
    return shutil.which(named) if named else next(filter(None, map(shutil.which, PROGRAMS)), None)


def ensure_program() -> str | None:
    """Find Chromium, or install it. None when there is none to be had."""
    if (found := find_program()) is not None:
        return found
    if sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Chromium for the journeys in a browser.", flush=True)
        install = ["apt-get", "install", "--yes", "--no-install-recommends", *APT_PACKAGES]
        if _succeeds(install) or (_succeeds(["apt-get", "update"]) and _succeeds(install)):
            return find_program()
    return None


def _succeeds(command: Sequence[str]) -> bool:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=quiet).returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ensure", action="store_true", help="install it where there is none")
    if parser.parse_args().ensure and ensure_program() is None:
        print(
            "There is no Chromium, and it could not be installed. The journeys in it are skipped. "
            f"{WHAT_TO_DO}"
        )


if __name__ == "__main__":
    main()
