"""The step that runs tools. `run_tools.py` is the entry; `journal.py` is what writes to the ledger."""
