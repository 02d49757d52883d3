-- Removes members from a set that is known; a load that may have read them starts over.
-- KEYS[1]  the set
-- ARGV     members
-- Returns  how many were there.

redis.call('ZADD', KEYS[1], 'XX', 'INCR', 1, 'building')
return redis.call('ZREM', KEYS[1], unpack(ARGV))
