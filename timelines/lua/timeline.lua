-- A timeline is a list of status ids, the newest first, without repeats. Its last element may be
-- a mark, which is lower than every id:
--   0          whole: there is nothing older in SQL
--   negative   being built; the number is the version of the build
-- Without a mark it is whole down to its lowest id.

-- How many ids to read at once when looking for the place of a late one.
local STRIDE = 32

-- Numbers are doubles: exact up to 2^53, and only '%.0f' writes them out in full.
local function text(number)
    return string.format('%.0f', number)
end

local function mark_of(key)
    local last = tonumber(redis.call('LINDEX', key, -1) or 1)
    return last <= 0 and last or nil
end

local function is_building(key)
    return (mark_of(key) or 0) < 0
end

local function is_unknown(key)
    return redis.call('EXISTS', key) == 0 or is_building(key)
end

-- Down to here nothing is missing; below, only SQL knows. Not for a timeline that is unknown.
local function floor_of(key)
    return mark_of(key) or tonumber(redis.call('LINDEX', key, -1))
end

-- Call this when an id is removed: a build that may have read it before starts over.
local function move_version(key)
    if is_building(key) then
        redis.call('LSET', key, -1, text(mark_of(key) + 1))
    end
end

-- As in loaded_set_open: the version is new each time, so that an old build does not pass for it.
local function begin_build(key)
    if mark_of(key) then
        redis.call('RPOP', key)
    end
    local time = redis.call('TIME')
    redis.call('RPUSH', key, text(-2 ^ 52 + time[1] * 1000000 + time[2]))
end

-- All ids, without the mark.
local function ids_of(key)
    local ids = redis.call('LRANGE', key, 0, -1)
    if #ids > 0 and tonumber(ids[#ids]) <= 0 then
        ids[#ids] = nil
    end
    return ids
end

-- {length, lowest id, 1 if it is whole}; nothing for a timeline that nobody can read yet.
local function extent_of(key)
    if is_unknown(key) then
        return false
    end
    local whole, last = mark_of(key) == 0, redis.call('LRANGE', key, -2, -1)
    local length = redis.call('LLEN', key)
    if not whole then
        return {length, tonumber(last[#last]), 0}
    end
    return {length - 1, tonumber(last[#last - 1] or 0), 1}
end

-- Merges two tables of ids, each newest first, into one without repeats.
local function merged(one, other)
    local ids, i, j = {}, 1, 1
    while one[i] or other[j] do
        local a, b = tonumber(one[i] or -1), tonumber(other[j] or -1)
        ids[#ids + 1] = a >= b and one[i] or other[j]
        i, j = a >= b and i + 1 or i, b >= a and j + 1 or j
    end
    return ids
end

-- Keeps the `cap` newest and the time to live. What is cut off is in SQL, so `0` goes with it.
local function rewrite(key, ids, mark, cap)
    local ttl, kept = redis.call('PTTL', key), math.min(#ids, cap)
    redis.call('DEL', key)
    for first = 1, kept, 1000 do
        redis.call('RPUSH', key, unpack(ids, first, math.min(first + 999, kept)))
    end
    if mark and (mark < 0 or kept == #ids) then
        redis.call('RPUSH', key, text(mark))
    end
    if ttl > 0 then
        redis.call('PEXPIRE', key, ttl)
    end
end

-- A build needs its mark, so the trim waits. An abandoned build is forgotten before it grows large.
local function trim(key, cap, length)
    if not is_building(key) then
        redis.call('LTRIM', key, 0, cap - 1)
    elseif length > 2 * cap then
        redis.call('DEL', key)
    end
end

-- For a delivery that newer ones have overtaken. An id older than all others is below the floor.
local function insert(key, id)
    local number, first = tonumber(id), 0
    repeat
        local some = redis.call('LRANGE', key, first, first + STRIDE - 1)
        for _, other in ipairs(some) do
            local difference = tonumber(other) - number
            if difference < 0 then
                redis.call('LINSERT', key, 'BEFORE', other, id)
            end
            if difference <= 0 then
                return
            end
        end
        first = first + STRIDE
    until #some < STRIDE
end

-- Only to a timeline that exists: one that does not is built when it is read, and a delivery
-- would make it look whole. An id that is there already changes nothing.
local function add(key, id, cap, slack)
    local newest = redis.call('LINDEX', key, 0)
    if not newest then
        return
    end
    local lead = id - newest
    if lead > 0 then
        local length = redis.call('LPUSH', key, id)
        if length > cap + slack then
            trim(key, cap, length)
        end
    elseif lead < 0 then
        insert(key, id)
    end
end
