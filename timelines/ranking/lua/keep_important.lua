-- Keeps an order for a while, in place of an older one.
-- KEYS[1]  list of status ids, the most important first
-- ARGV[1]  seconds
-- ARGV[2…] ids
-- Returns  nothing

redis.call('DEL', KEYS[1])
redis.call('RPUSH', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
