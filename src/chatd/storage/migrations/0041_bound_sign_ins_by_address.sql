-- From where a sign-in at a provider was begun: an address, or the network of an IPv6 address.
ALTER TABLE oidc_states ADD COLUMN network TEXT NOT NULL DEFAULT '';
CREATE INDEX oidc_states_by_network ON oidc_states (network, expires_at);
