-- A chat that waits for its client has nothing but its row: it is found when its time is up.
CREATE INDEX chats_by_deadline ON chats (deadline_at) WHERE deadline_at IS NOT NULL;
-- So what waits is not among what has work to do.
DROP INDEX chats_with_work;
CREATE INDEX chats_with_work ON chats (updated_at) WHERE status IN ('running', 'interrupting');
