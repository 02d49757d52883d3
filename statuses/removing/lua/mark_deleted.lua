-- Remembers in a partition that statuses are deleted, so that a running fan-out stops delivering
-- them.
-- KEYS[1]  the statuses deleted lately: zset, scored by when, in seconds
-- ARGV[1]  seconds to remember them
-- ARGV[2]  now in ms since 1970; empty: the server's clock
-- ARGV[3…] ids of the statuses
-- Returns  nothing

--include redistools/clock

local seconds, now = tonumber(ARGV[1]), math.floor(clock(ARGV[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - seconds)
for place = 3, #ARGV do
    redis.call('ZADD', KEYS[1], now, ARGV[place])
end
redis.call('EXPIRE', KEYS[1], seconds)
