-- Begins the load of a sorted set that is unknown.
-- KEYS[1]  the set
-- ARGV[1]  1: it stays for ever, even if nobody uses it
-- Returns  the version that `loaded_set_add` must name, or nil if the set is ready.

--include redistools/loaded_set

-- Below every id, so that no range of ids meets the mark. Made from the time in microseconds: an
-- old load must not pass for one that began after the set was lost or loaded.
local function new_version()
    local time = redis.call('TIME')
    return string.format('%.0f', -2 ^ 52 + time[1] * 1000000 + time[2])
end

if redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call('ZADD', KEYS[1], 'NX', new_version(), BUILDING)
    if ARGV[1] == '1' then
        redis.call('PERSIST', KEYS[1])
    else
        redis.call('EXPIRE', KEYS[1], LIFETIME)
    end
end
return redis.call('ZSCORE', KEYS[1], BUILDING)
