"""Ways in: links, cookies, identity providers, headers of proxies, passwords."""
