"""What git would run because of what is in a workspace."""
