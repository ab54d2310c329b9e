"""Reverse proxies for the tests of deploy/proxy: the machine's, or Debian's packages.

Only the standard library is used here, since --ensure runs before anything else is known to be there.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

# The program, and the package that has it.
PROXIES = {"nginx": "nginx-light", "caddy": "caddy"}


def find_program(name: str) -> str | None:
    """Also where only root looks for programs."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def ensure() -> None:
    missing = [package for name, package in PROXIES.items() if find_program(name) is None]
    if not missing:
        return
    if sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {' and '.join(missing)} to try deploy/proxy.", flush=True)
        install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
        if _succeeds(install) or (_succeeds(["apt-get", "update"]) and _succeeds(install)):
            return
    print(f"deploy/proxy is not tried: install {' and '.join(missing)} for that.")


def _succeeds(command: Sequence[str]) -> bool:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=quiet).returncode == 0


if __name__ == "__main__":
    ensure()
