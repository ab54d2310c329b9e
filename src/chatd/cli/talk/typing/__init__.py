"""Where lines come from: a person at a terminal, who is helped while they type, or a pipe."""
