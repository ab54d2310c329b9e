"""Routes for what was said and what waits: messages, the queue, branches, imported histories."""
