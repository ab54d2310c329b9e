"""Directories of one workspace for as long as it is open: /tmp and home of its commands, and their output."""

import shutil
from pathlib import Path

from msgspec import Struct


class Scratch(Struct, frozen=True):
    path: Path

    @property
    def tmp(self) -> Path:
        return self.path / "tmp"

    @property
    def home(self) -> Path:
        return self.path / "home"

    @property
    def output(self) -> Path:
        return self.path / "output"

    def make(self) -> None:
        """Empty, whatever a server that was killed has left there."""
        self.remove()
        for path in (self.tmp, self.home, self.output):
            path.mkdir(parents=True, mode=0o700)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
