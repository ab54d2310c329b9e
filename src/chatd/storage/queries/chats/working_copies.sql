-- note_working_copy --
-- A call that is run again finds it noted.
INSERT INTO working_copies (child_id, parent_id, message_id, call_id, workspace, created_at)
VALUES ($1, $2, $3, $4, $5, chatd_now())
    ON CONFLICT (child_id) DO NOTHING;

-- left_working_copies --
-- Those from $1 on whose agent does not exist, and never will: the call that would create it is over. With whether
-- each was noted longer than $2 ago.
SELECT w.child_id, w.workspace, w.created_at < chatd_now() - $2
  FROM working_copies w
 WHERE w.child_id > $1
   AND NOT EXISTS (SELECT 1 FROM chats c WHERE c.id = w.child_id)
   AND NOT EXISTS (SELECT 1
                     FROM calls k
                     JOIN messages m ON m.chat_id = k.chat_id AND m.id = k.message_id
                    WHERE k.chat_id = w.parent_id AND k.message_id = w.message_id AND k.id = w.call_id
                      AND k.state <> 'answered' AND NOT m.deleted)
 ORDER BY w.child_id
 LIMIT $3;

-- forget_working_copy --
DELETE FROM working_copies
 WHERE child_id = $1;
