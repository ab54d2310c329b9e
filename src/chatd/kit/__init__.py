"""Small things that know no chat. Each file would make sense in another program."""
