-- around_columns (fragment) --
-- Whose the chat `c` is, whether it is shared, and what the user $1 has marked in it.
u.name, u.display_name,
       EXISTS (SELECT 1
                 FROM chat_grants g
                WHERE g.chat_id = COALESCE(c.root_id, c.id)
                  AND (g.expires_at IS NULL OR g.expires_at > (SELECT chatd_now())))
       OR EXISTS (SELECT 1
                    FROM public_links p
                   WHERE p.chat_id = COALESCE(c.root_id, c.id)
                     AND p.revoked_at IS NULL AND p.expires_at > (SELECT chatd_now())),
       r.read_id, r.pin_order, r.muted

-- around_tables (fragment) --
chats c
  JOIN users u ON u.id = c.owner_id
  LEFT JOIN chat_readers r ON r.user_id = $1 AND r.chat_id = c.id

-- chat_with_around --
SELECT {around_columns},
       {chat_columns}
  FROM {around_tables}
 WHERE c.id = $2;

-- around_chats (sqlite) --
SELECT c.id, {around_columns}
  FROM {around_tables}
 WHERE c.id IN (SELECT value FROM json_each($2));

-- around_chats (postgres) --
SELECT c.id, {around_columns}
  FROM {around_tables}
 WHERE c.id IN (SELECT json_array_elements_text(CAST($2 AS json)));

-- save_marks --
INSERT INTO chat_readers (user_id, chat_id, read_id, pin_order, muted)
VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (user_id, chat_id)
    DO UPDATE SET read_id = excluded.read_id, pin_order = excluded.pin_order, muted = excluded.muted;

-- marks_of --
SELECT r.read_id, r.pin_order, r.muted
  FROM chat_readers r
 WHERE r.user_id = $1 AND r.chat_id = $2;

-- delete_marks --
DELETE FROM chat_readers
 WHERE user_id = $1 AND chat_id = $2;
