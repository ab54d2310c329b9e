"""Who is asking, and whether they may."""
