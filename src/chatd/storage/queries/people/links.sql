-- link_columns (fragment) --
p.id, p.chat_id, p.made_by, p.made_at, p.expires_at, p.include, p.up_to_id, p.branch, p.opened

-- link_counts (fragment) --
p.revoked_at IS NULL AND p.expires_at > chatd_now()

-- link_of_code --
-- The link whose code has this hash. Whatever ends it, no row comes back, and as quickly: it has ended, its chat
-- was put away or has another owner, or its owner was shut out.
SELECT {link_columns}, c.access_version, c.title, u.display_name
  FROM public_links p
  JOIN chats c ON c.id = p.chat_id AND c.owner_id = p.made_by AND NOT c.archived
  JOIN users u ON u.id = c.owner_id AND u.suspended_at IS NULL AND u.deleted_at IS NULL
 WHERE p.hash = $1 AND {link_counts};

-- line_of_link --
-- Of the chat $1, what was in the history on the branch $2: by branch, the messages before a number.
{line_of_branch}
SELECT branch, before_id
  FROM line;

-- links_of_chat --
SELECT {link_columns}
  FROM public_links p
 WHERE p.chat_id = $1 AND {link_counts}
 ORDER BY p.made_at, p.id;

-- link_of_chat --
SELECT {link_columns}
  FROM public_links p
 WHERE p.chat_id = $1 AND p.id = $2 AND {link_counts};

-- delete_ended_links --
-- Before another one is made: ended ones take no room.
DELETE FROM public_links
 WHERE chat_id = $1 AND (revoked_at IS NOT NULL OR expires_at <= chatd_now());

-- count_links --
SELECT count(*)
  FROM public_links
 WHERE chat_id = $1;

-- insert_link --
INSERT INTO public_links (id, hash, chat_id, made_by, made_at, expires_at, include, up_to_id, branch)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- change_link --
UPDATE public_links
   SET expires_at = $2, include = $3, up_to_id = $4, branch = $5
 WHERE id = $1;

-- revoke_link --
UPDATE public_links
   SET revoked_at = chatd_now()
 WHERE id = $1;

-- count_opened --
UPDATE public_links
   SET opened = opened + $2
 WHERE id = $1;
