"""Serving the web page that `make page` has built."""
