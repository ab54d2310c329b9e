"""Commands of chats as children of the server: started, read, ended, and none left behind."""
