"""The OpenAPI document, made from the routes and the shapes in `bodies/`."""
