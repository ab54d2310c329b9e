"""How many files this process may have open: set in programs of their own, for it cannot be taken back."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (256, {hard}))
from chatd.kit.process.open_files import allow_open_files, open_files_max
allow_open_files(500)
print(open_files_max())
"""


@pytest.mark.parametrize(("hard", "allowed"), [(600, 500), (400, 400), (256, 256)])
def test_a_server_takes_as_many_files_as_it_may_have(hard: int, allowed: int) -> None:
    """Many systems give 1024 at first: a stranger with as many connections would shut out everybody."""
    program = [sys.executable, "-c", PROGRAM.format(hard=hard)]
    said = subprocess.run(program, capture_output=True, check=True, text=True).stdout

    assert int(said) == allowed
