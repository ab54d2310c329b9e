-- Files that no chat refers to are found by age, and counted for their owner, without reading their bytes.
CREATE INDEX files_by_age ON files (created_at, id);

CREATE INDEX files_by_owner ON files (owner_id, id, size_bytes);
