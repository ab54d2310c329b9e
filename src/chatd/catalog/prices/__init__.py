"""What models cost and how much they hold, from `price_book.json`, which `tools/price_book.py` makes."""
