"""What a command sees, may use and is limited to. `confine.py` finds out what the machine offers."""
