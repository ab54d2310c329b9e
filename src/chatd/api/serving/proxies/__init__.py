"""What proxies before us say of a request. Each is believed only if the connection comes from it."""
