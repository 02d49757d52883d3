-- Tells a partition that a status is deleted, so that no fan-out under way delivers it any more.
-- KEYS[1]  the statuses deleted lately: zset, scored by when, in seconds
-- ARGV[1]  id of the status
-- ARGV[2]  seconds to remember it
-- ARGV[3]  now in seconds since 1970; empty: the server's clock
-- Returns  nothing

local now, seconds = tonumber(ARGV[3]) or tonumber(redis.call('TIME')[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - seconds)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('EXPIRE', KEYS[1], seconds)
