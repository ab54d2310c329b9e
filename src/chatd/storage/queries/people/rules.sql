-- rule_columns (fragment) --
r.rule, r.created_at, r.created_by, r.origin_chat_id, r.origin_message_id, r.origin_call_id

-- rules_of_chat --
SELECT {rule_columns}
  FROM chat_rules r
 WHERE r.chat_id = $1
 ORDER BY r.position;

-- rules_of_user --
SELECT {rule_columns}
  FROM user_rules r
 WHERE r.user_id = $1
 ORDER BY r.position;

-- rules_that_count --
-- Those of a user and those of a chat, for a call that is about to be made. What was allowed or denied to a chat
-- counts for those that work for it, after their own.
SELECT r.rule, 0 AS of_chat, r.position
  FROM user_rules r
 WHERE r.user_id = $1
 UNION ALL
SELECT r.rule, 1 AS of_chat, r.position
  FROM chat_rules r
 WHERE r.chat_id = $2
 UNION ALL
SELECT r.rule, 2 AS of_chat, r.position
  FROM chats c
  JOIN chat_rules r ON r.chat_id = c.parent_id
 WHERE c.id = $2
 ORDER BY 2, 3;

-- lock_user (sqlite) --
SELECT id
  FROM users
 WHERE id = $1;

-- lock_user (postgres) --
SELECT id
  FROM users
 WHERE id = $1
   FOR NO KEY UPDATE;

-- delete_user_rules --
DELETE FROM user_rules
 WHERE user_id = $1;

-- insert_user_rule --
INSERT INTO user_rules (
    user_id, position, rule, created_at, created_by, origin_chat_id, origin_message_id, origin_call_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- delete_chat_rules --
DELETE FROM chat_rules
 WHERE chat_id = $1;

-- insert_chat_rule --
INSERT INTO chat_rules (
    chat_id, position, rule, created_at, created_by, origin_chat_id, origin_message_id, origin_call_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);
