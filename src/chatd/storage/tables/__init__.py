"""What is kept beside chats: files, leases, the part log, rules, the search index, working copies."""
