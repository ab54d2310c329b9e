import os
import subprocess
import sys
from pathlib import Path

import pytest

# Starts a program in the way that hands on whatever is not kept back, as an event loop may.
STARTS_ANOTHER = """
import ctypes, os, subprocess, sys
from chatd.kit.process.privacy import keep_to_ourselves
{first}
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
sys.stdout.flush()
subprocess.run(["/bin/sh", "-c", "cat /proc/self/fd/{descriptor}"], close_fds=False)
"""


def told(path: Path, first: str) -> str:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        code = STARTS_ANOTHER.format(first=first, descriptor=descriptor)
        return subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True, pass_fds=[descriptor]
        ).stdout
    finally:
        os.close(descriptor)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no prctl")
def test_neither_memory_nor_environment_nor_open_files_are_for_the_programs_that_are_started(
    tmp_path: Path,
) -> None:
    path = tmp_path / "of who started us"
    path.write_text("a secret")

    assert told(path, "pass") == "1\na secret"
    assert told(path, "keep_to_ourselves()") == "0\n"
