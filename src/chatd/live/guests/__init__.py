"""What guests are told who have a public link: values of their own, each with every field that it has.

`sight.py` says what of a chat they see, and `telling.py` makes of what other viewers are told what they are.
"""
