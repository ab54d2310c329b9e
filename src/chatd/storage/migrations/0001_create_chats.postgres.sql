-- The database's clock, which all replicas share. A test may replace it for its own database.
CREATE FUNCTION chatd_now() RETURNS BIGINT LANGUAGE sql VOLATILE
    AS 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)';
