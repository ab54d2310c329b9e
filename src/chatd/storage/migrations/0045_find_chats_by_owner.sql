-- All chats of a user, with those that work for others: what every watcher of a list compares every few seconds.
-- The index of lists has roots alone, and whatever looked for more went through the chats of everybody.
CREATE INDEX chats_by_owner ON chats (owner_id);
