-- Counts a hit, if the window has room for it.
-- KEYS[1]  the hits of one subject: zset, hit id scored by its time in ms
-- ARGV[1]  id of the hit
-- ARGV[2]  limit: how many hits the window holds
-- ARGV[3]  window in ms
-- ARGV[4]  now in ms since 1970; empty: the server's clock
-- Returns  {1 if it counts or 0 if it is refused, hits left, ms until there is room for one more}

--include clock

local hits, limit, window = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local now = clock(ARGV[4])

redis.call('ZREMRANGEBYSCORE', hits, '-inf', now - window)
local count = redis.call('ZCARD', hits)

-- The client may send a hit again if the answer was lost: it counts once.
local allowed = redis.call('ZSCORE', hits, ARGV[1])
if not allowed and count < limit then
    redis.call('ZADD', hits, now, ARGV[1])
    redis.call('PEXPIRE', hits, window)
    allowed, count = true, count + 1
end

local wait = 0
if count >= limit then
    local in_the_way = redis.call('ZRANGE', hits, count - limit, count - limit, 'WITHSCORES')
    wait = tonumber(in_the_way[2]) + window - now
end
return {allowed and 1 or 0, math.max(0, limit - count), wait}
