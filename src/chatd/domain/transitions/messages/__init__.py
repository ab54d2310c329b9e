"""What can happen to messages: sent, queued, edited, left for another branch."""
