"""Running calls: which of a reply, in which order, for how long, and what the model reads of the result."""
