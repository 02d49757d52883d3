-- A timeline is a list of status ids, the newest first but for deliveries that overtook each
-- other; reading sorts them. Its last element may be a mark, which sorts below every id:
--   0          whole: there is nothing older in SQL
--   negative   being built; the number is the version of the build
-- Without a mark it is whole down to its lowest id.

local FIRST_VERSION = -2 ^ 52

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

-- Whoever takes an id out calls this: a build that may have read it before starts over.
local function move_version(key)
    if is_building(key) then
        redis.call('LSET', key, -1, text(mark_of(key) + 1))
    end
end

-- Sorted, without repeats and without the mark.
local function ids_of(key)
    local ids, before = {}, nil
    for _, id in ipairs(redis.call('SORT', key, 'DESC')) do
        if id ~= before and id ~= '0' and string.sub(id, 1, 1) ~= '-' then
            ids[#ids + 1] = id
        end
        before = id
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

-- The same for a timeline that has only grown too long, by one command of Redis' own.
local function trim(key, cap)
    local ttl, building = redis.call('PTTL', key), is_building(key) and mark_of(key)
    redis.call('SORT', key, 'DESC', 'LIMIT', 0, cap, 'STORE', key)
    if building then
        redis.call('RPUSH', key, text(building))
    end
    if ttl > 0 then
        redis.call('PEXPIRE', key, ttl)
    end
end

-- Only to a timeline that exists: one that does not is built when it is read, and a delivery
-- would make it look whole. A repeat does no harm: reading leaves it out.
local function add(key, status, cap, slack)
    local length = redis.call('LPUSHX', key, status)
    if length > cap + slack then
        trim(key, cap)
    end
    return length > 0
end
