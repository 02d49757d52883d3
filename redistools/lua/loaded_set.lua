-- What scripts know of loaded sets; `redistools/loaded_set.py` explains their marks. A mark scores 0
-- or less and a member more, so a range above 0 meets members only.

local BUILDING, WHOLE = 'building', '0'

local function is_mark(member)
    return member == BUILDING or member == WHOLE
end

local function is_unknown_set(key)
    return redis.call('ZCARD', key) == 0 or redis.call('ZSCORE', key, BUILDING)
end

-- The floor of a known set of ids: below it, only SQL knows; '0' if nothing is missing.
local function floor_of_set(key)
    return redis.call('ZSCORE', key, WHOLE) or redis.call('ZRANGE', key, 0, 0)[1]
end

-- The same of a set that may be unknown: then nothing. One command, since a mark scores lowest.
local function known_floor(key)
    local lowest = redis.call('ZRANGE', key, 0, 0)[1]
    return lowest ~= BUILDING and tonumber(lowest) or nil
end

-- All members of a set of few, or nothing if it must be loaded first. One command: marks come first.
local function members_of(key)
    local members = redis.call('ZRANGE', key, 0, -1)
    if #members == 0 or members[1] == BUILDING then
        return nil
    end
    if members[1] == WHOLE then
        table.remove(members, 1)
    end
    return members
end

-- The members with the lowest scores above this one; 0 for the first.
local function members_after(key, score, limit)
    return redis.call('ZRANGEBYSCORE', key, '(' .. score, '+inf', 'LIMIT', 0, limit)
end

-- Ids strictly between two bounds, newest first, from one end of the range. `below` may be ''.
local function page_of_set(key, above, below, limit, oldest)
    local low, high = '(' .. above, below == '' and '+inf' or '(' .. below
    if not oldest then
        return redis.call('ZREVRANGEBYSCORE', key, high, low, 'LIMIT', 0, limit)
    end
    local ids, turned = redis.call('ZRANGEBYSCORE', key, low, high, 'LIMIT', 0, limit), {}
    for place = #ids, 1, -1 do
        turned[#turned + 1] = ids[place]
    end
    return turned
end

-- Call this when a member is removed: a load that may have read it from SQL starts over.
local function restart_load(key)
    redis.call('ZADD', key, 'XX', 'INCR', 1, BUILDING)
end

-- Adds a member to a set that exists, and trims it to its `cap` highest; false if there is none.
-- A set without a mark is whole down to its lowest member, so nothing is added below that: it would
-- look whole further down than it is.
local function put_in_set(key, score, member, cap, slack)
    local lowest = tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2])
    if not lowest then
        return false
    end
    if lowest <= tonumber(score) then
        redis.call('ZADD', key, score, member)
    end
    -- A load needs its mark, the lowest of all, so the trim waits for its end.
    if lowest >= 0 and redis.call('ZCARD', key) > cap + slack then
        redis.call('ZREMRANGEBYRANK', key, 0, -(cap + 1))
    end
    return true
end
