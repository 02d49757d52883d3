-- Reads a key, and gives it back with a name.
-- KEYS[1]  the key
-- ARGV[1]  the name
-- Returns  {the name, what the key holds}

return {ARGV[1], redis.call('GET', KEYS[1])}
