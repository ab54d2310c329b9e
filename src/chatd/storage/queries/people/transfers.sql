-- save_transfer --
INSERT INTO transfers (chat_id, to_id, by_id, keep, made_at, expires_at)
VALUES ($1, $2, $3, $4, chatd_now(), chatd_now() + $5)
    ON CONFLICT (chat_id)
    DO UPDATE SET to_id = excluded.to_id, by_id = excluded.by_id, keep = excluded.keep,
                  made_at = excluded.made_at, expires_at = excluded.expires_at;

-- offers (fragment) --
SELECT t.chat_id, t.to_id, t.by_id, t.keep, t.made_at, t.expires_at, c.title, u.name, v.name
  FROM transfers t
  JOIN chats c ON c.id = t.chat_id
  JOIN users u ON u.id = t.to_id
  LEFT JOIN users v ON v.id = t.by_id

-- transfer_of --
-- The offer of a chat, if it still counts.
{offers}
 WHERE t.chat_id = $1 AND t.expires_at > chatd_now();

-- transfers_to --
-- What is offered to a user.
{offers}
 WHERE t.to_id = $1 AND t.expires_at > chatd_now()
 ORDER BY t.made_at, t.chat_id
 LIMIT $2;

-- transfers_by --
-- What a user offers to others.
{offers}
 WHERE c.owner_id = $1 AND t.expires_at > chatd_now()
 ORDER BY t.made_at, t.chat_id
 LIMIT $2;

-- delete_transfer --
DELETE FROM transfers
 WHERE chat_id = $1;
