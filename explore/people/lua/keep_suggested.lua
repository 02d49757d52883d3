-- Keeps suggestions for a while, in place of older ones.
-- KEYS[1]  hash of suggestions
-- ARGV[1]  seconds
-- ARGV[2…] fields and values
-- Returns  nothing

redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
