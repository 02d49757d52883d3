-- Reads a page of ids from a timeline, with the statuses of pulled authors merged in.
-- KEYS[1]  the timeline: a loaded set of status ids
-- KEYS[2]  its sources: a loaded set of author ids
-- KEYS[3]  the pulled authors, as this partition knows them
-- ARGV[1]  what the pulled authors' keys begin with; empty: merge none
-- ARGV[2]  above: ids must be higher
-- ARGV[3]  below: ids must be lower; empty: no bound
-- ARGV[4]  limit
-- ARGV[5]  'newest' or 'oldest': from which end to take
-- ARGV[6]  seconds that a timeline lives after it was read; 0 for ever
-- Returns  {'ok', floor, id, id, …} the newest first; below the floor only SQL knows.
--          {'unknown', key} if that set must be loaded first.

local DAY = 86400
local above, below = '(' .. ARGV[2], ARGV[3] == '' and '+inf' or '(' .. ARGV[3]
local limit, oldest, ttl = tonumber(ARGV[4]), ARGV[5] == 'oldest', tonumber(ARGV[6])

local function is_unknown(key)
    return redis.call('ZCARD', key) == 0 or redis.call('ZSCORE', key, 'building')
end

local function floor_of(key)
    if redis.call('ZSCORE', key, '0') then
        return 0
    end
    return tonumber(redis.call('ZRANGE', key, 0, 0)[1])
end

local function page(key)
    if oldest then
        return redis.call('ZRANGEBYSCORE', key, above, below, 'LIMIT', 0, limit)
    end
    return redis.call('ZREVRANGEBYSCORE', key, below, above, 'LIMIT', 0, limit)
end

-- A merged page is sorted by number, cut and written out in full; '%.0f' is exact to 2^53.
local function merge(pages)
    local ids, seen = {}, {}
    for _, some in ipairs(pages) do
        for _, id in ipairs(some) do
            if not seen[id] then
                seen[id] = true
                ids[#ids + 1] = tonumber(id)
            end
        end
    end
    table.sort(ids, function(a, b) return oldest and a < b or not oldest and a > b end)
    local first = {}
    for place = 1, math.min(limit, #ids) do
        first[place] = string.format('%.0f', ids[place])
    end
    return first
end

if is_unknown(KEYS[1]) then
    return {'unknown', KEYS[1]}
end
local ids, floor = page(KEYS[1]), floor_of(KEYS[1])

if ARGV[1] ~= '' then
    for _, key in ipairs({KEYS[2], KEYS[3]}) do
        if is_unknown(key) then
            return {'unknown', key}
        end
    end
    local pages = {ids}
    for _, author in ipairs(redis.call('ZINTER', 2, KEYS[3], KEYS[2])) do
        if author ~= '0' then
            local key = ARGV[1] .. author
            if is_unknown(key) then
                return {'unknown', key}
            end
            pages[#pages + 1] = page(key)
            floor = math.max(floor, floor_of(key))
        end
    end
    if #pages > 1 then
        ids = merge(pages)
    end
end

-- Only once a day: a write for each read would cost more than the read.
if ttl > 0 and redis.call('TTL', KEYS[1]) < ttl - DAY then
    redis.call('EXPIRE', KEYS[1], ttl)
end

local answer = {'ok', string.format('%.0f', floor)}
for place, id in ipairs(ids) do
    answer[oldest and #ids - place + 3 or place + 2] = id
end
return answer
