-- A temporary chat is in no list. It is removed some time after its last turn has ended, which is when a chat that
-- rests was changed last.
ALTER TABLE chats ADD COLUMN temporary BOOLEAN NOT NULL DEFAULT FALSE;

CREATE INDEX chats_temporary ON chats (updated_at, id) WHERE temporary AND status IN ('waiting', 'error');

-- A list is read without passing over them: a program may make thousands in an hour.
DROP INDEX chats_in_list_order;
CREATE INDEX chats_in_list_order
    ON chats (owner_id, archived, (pin_order = 0), pin_order, (-updated_at), id)
 WHERE parent_id IS NULL AND NOT temporary;
