-- leavers_after --
SELECT id, leaving
  FROM users
 WHERE leaving IS NOT NULL AND id > $1
 ORDER BY id
 LIMIT $2;

-- forget_leaving --
UPDATE users
   SET leaving = NULL
 WHERE id = $1;

-- forget_words_of_leaver --
-- The words of a chat are indexed anew, for who looks for them now.
DELETE FROM search_progress
 WHERE chat_id = $1;

-- forget_offer_of_leaver --
DELETE FROM transfers
 WHERE chat_id = $1;

-- hand_files_of_leaver_over --
-- Files of user $2 that are attached in the family of $1 and nowhere else are user $3's from now on.
UPDATE files
   SET owner_id = $3
 WHERE owner_id = $2
   AND id IN (SELECT l.file_id FROM file_links l JOIN chats c ON c.id = l.chat_id WHERE c.id = $1 OR c.root_id = $1)
   AND NOT EXISTS (SELECT 1
                     FROM file_links l
                     JOIN chats c ON c.id = l.chat_id
                    WHERE l.file_id = files.id AND c.id <> $1 AND (c.root_id IS NULL OR c.root_id <> $1));
