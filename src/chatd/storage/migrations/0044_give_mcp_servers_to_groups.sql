-- Whether `document` names the groups that a server is for: a new chat is made without looking for more where none does.
-- Older servers cannot read such a document, and give it to nobody.
ALTER TABLE mcp_servers ADD COLUMN for_groups BOOLEAN NOT NULL DEFAULT FALSE;

CREATE INDEX mcp_servers_for_groups ON mcp_servers (id) WHERE for_groups;
