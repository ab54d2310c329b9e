"""Which programs a shell command would run. `parse.py` is the entry; `script.py` has what comes out."""
