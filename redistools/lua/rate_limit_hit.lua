-- Counts a hit, if all windows have room for it.
-- KEYS[1]  the hits of one subject: zset, hit id scored by its time in ms
-- ARGV[1]  id of the hit
-- ARGV[2]  now in ms since 1970; empty: the server's clock
-- ARGV[3…] limit and length in ms of each window, the longest first
-- Returns  {1 if it counts or 0 if it is refused, hits left, ms until there is room for one more}

--include clock

local hits, now = KEYS[1], clock(ARGV[2])
local longest = tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', hits, '-inf', now - longest)

-- How many hits a window has left, and how long until it has room for one more.
local function room(limit, window)
    local count = redis.call('ZCOUNT', hits, '(' .. now - window, '+inf')
    if count < limit then
        return limit - count, 0
    end
    local in_the_way = redis.call('ZREVRANGE', hits, limit - 1, limit - 1, 'WITHSCORES')
    return 0, tonumber(in_the_way[2]) + window - now
end

local function tightest()
    local left, wait = math.huge, 0
    for place = 3, #ARGV, 2 do
        local some, pause = room(tonumber(ARGV[place]), tonumber(ARGV[place + 1]))
        left, wait = math.min(left, some), math.max(wait, pause)
    end
    return left, wait
end

-- The client may send a hit again if the answer was lost: it counts once.
local allowed = redis.call('ZSCORE', hits, ARGV[1])
if not allowed and tightest() > 0 then
    redis.call('ZADD', hits, now, ARGV[1])
    redis.call('PEXPIRE', hits, longest)
    allowed = true
end
local left, wait = tightest()
return {allowed and 1 or 0, left, wait}
