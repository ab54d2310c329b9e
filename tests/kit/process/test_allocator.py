import subprocess
import sys

# Takes and leaves blocks as decoding large bodies does, each with a small neighbour that stays.
BUSY = """
from chatd.kit.process.allocator import give_memory_back
{first}
blocks, small = [], []
for size in (8_000_000, *[200_000] * 200):
    blocks.append(bytearray(size))
    small.append(bytearray(600))
del blocks
print(next(line for line in open("/proc/self/status") if line.startswith("RssAnon")).split()[1])
"""


def resident_kib(first: str) -> int:
    program = [sys.executable, "-c", BUSY.format(first=first)]
    return int(subprocess.run(program, check=True, capture_output=True, text=True).stdout)


def test_what_was_large_and_is_left_is_given_back_to_the_system() -> None:
    assert resident_kib("give_memory_back()") < resident_kib("bytearray(30_000_000)") - 10_000
