"""What is being said right now. `board.py` has the episodes of this process, `log.py` saves them."""
