-- Removes members from a set that is known; a load that may have read them starts over.
-- KEYS[1]  the set
-- ARGV     members
-- Returns  how many were there.

--include redistools/loaded_set

restart_load(KEYS[1])
return redis.call('ZREM', KEYS[1], unpack(ARGV))
