"""Commands for one chat, or a list of them."""
