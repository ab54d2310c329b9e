"""What an operator runs beside the server, on its database: serve, migrate, doctor, show; also the demo."""
