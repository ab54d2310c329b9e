"""python -m chatd."""

from chatd.cli.main import main

main()
