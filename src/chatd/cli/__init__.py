"""The command line. `main.py` lists the commands, `flags/` has what each takes, the others what it does."""
