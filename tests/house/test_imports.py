import subprocess
import sys
from pathlib import Path

from tests.house.repository import ROOT


def test_imports_point_the_way_that_the_contracts_say() -> None:
    """The contracts are in pyproject.toml; a broken one is shown with the chain of imports that breaks it."""
    linter = Path(sys.executable).parent / "lint-imports"

    done = subprocess.run(
        [linter, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, f"An import points the wrong way.\n{done.stdout}{done.stderr}"
