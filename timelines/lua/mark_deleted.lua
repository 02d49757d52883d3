-- Remembers in a partition that a status is deleted, so that a running fan-out stops delivering it.
-- KEYS[1]  the statuses deleted lately: zset, scored by when, in seconds
-- ARGV[1]  id of the status
-- ARGV[2]  seconds to remember it
-- ARGV[3]  now in ms since 1970; empty: the server's clock
-- Returns  nothing

--include redistools/clock

local now, seconds = math.floor(clock(ARGV[3]) / 1000), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - seconds)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('EXPIRE', KEYS[1], seconds)
