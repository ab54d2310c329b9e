"""HTTP on sockets: bounds for slow, large and silent connections, and an end when the server stops."""
