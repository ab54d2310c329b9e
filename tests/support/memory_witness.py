"""What rehearsal tools have done, for a test in the same process."""


class MemoryWitness:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def saw(self, line: str) -> None:
        self.lines.append(line)
