-- What scripts know of loaded sets; `redistools/loaded_set/` explains their marks. A mark scores 0
-- or less and a member more, so a range above 0 meets members only.

local BUILDING, WHOLE = 'building', '0'
-- Seconds that a set lives after it was last used, or half as long.
local LIFETIME = 30 * 86400
-- Up to this size a set is compact (`zset-max-listpack-entries`), and finding one member means
-- reading through all of them.
local COMPACT, FEW = 256, 8

local function is_mark(member)
    return member == BUILDING or member == WHOLE
end

-- What is used lives on. A write for each read would cost more than the read, so this waits until
-- half its time is over. A set without an end is left alone.
local function keep_set(key)
    local left = redis.call('TTL', key)
    if left >= 0 and left < LIFETIME / 2 then
        redis.call('EXPIRE', key, LIFETIME)
    end
end

-- Must it be loaded before anybody reads it? A mark scores lowest, so the first member says so.
local function is_unknown_set(key)
    local lowest = redis.call('ZRANGE', key, 0, 0)[1]
    if not lowest or lowest == BUILDING then
        return true
    end
    keep_set(key)
    return false
end

-- Is there nothing that only SQL knows? Of a known set.
local function is_whole_set(key)
    return redis.call('ZRANGE', key, 0, 0)[1] == WHOLE
end

-- The floor of a known set of ids: below it, only SQL knows; '0' if nothing is missing.
local function floor_of_set(key)
    return redis.call('ZRANGE', key, 0, 0)[1]
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
    keep_set(key)
    if members[1] == WHOLE then
        table.remove(members, 1)
    end
    return members
end

-- Which of some members a known set has: true or false for each. A compact set is read once.
local function has_each(key, wanted)
    local has, held = {}, {}
    if #wanted <= FEW or redis.call('ZCARD', key) > COMPACT then
        for place, score in ipairs(#wanted > 0 and redis.call('ZMSCORE', key, unpack(wanted)) or {}) do
            has[place] = score and true
        end
        return has
    end
    for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
        held[member] = true
    end
    for place, member in ipairs(wanted) do
        has[place] = held[member] or false
    end
    return has
end

-- The members that two known sets have in common.
local function shared_members(one, other)
    local smaller, larger = one, other
    if redis.call('ZCARD', one) > redis.call('ZCARD', other) then
        smaller, larger = other, one
    end
    local shared = {}
    if redis.call('ZCARD', smaller) > COMPACT then
        for _, member in ipairs(redis.call('ZINTER', 2, smaller, larger)) do
            if not is_mark(member) then
                shared[#shared + 1] = member
            end
        end
        return shared
    end
    local members = members_of(smaller)
    for place, is_shared in ipairs(has_each(larger, members)) do
        if is_shared then
            shared[#shared + 1] = members[place]
        end
    end
    return shared
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
