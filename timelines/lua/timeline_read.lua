-- Reads a page of ids from a timeline, with the statuses of pulled authors merged in.
-- KEYS[1]  the timeline
-- KEYS[2]  its sources: a loaded set of author ids
-- KEYS[3]  the pulled authors, as this partition knows them: a loaded set
-- ARGV[1]  what the pulled authors' keys begin with; empty: merge none
-- ARGV[2]  above: ids must be higher
-- ARGV[3]  below: ids must be lower; empty: no bound
-- ARGV[4]  limit
-- ARGV[5]  'newest' or 'oldest': from which end of the range to take
-- ARGV[6]  seconds that a timeline lives after it was read
-- Returns  {'ok', floor, id, id, …} the newest first; below the floor only SQL knows.
--          {'unknown', key} if that one must be loaded first.

--include timeline

local DAY = 86400
local above, below = tonumber(ARGV[2]), tonumber(ARGV[3]) or math.huge
local limit, ttl = tonumber(ARGV[4]), tonumber(ARGV[6])

local function is_unknown_set(key)
    return redis.call('ZCARD', key) == 0 or redis.call('ZSCORE', key, 'building')
end

local function floor_of_set(key)
    return redis.call('ZSCORE', key, '0') and 0 or tonumber(redis.call('ZRANGE', key, 0, 0)[1])
end

local function newest_first(one, other)
    return tonumber(one) > tonumber(other)
end

if is_unknown(KEYS[1]) then
    return {'unknown', KEYS[1]}
end
local ids = ids_of(KEYS[1])
local floor = mark_of(KEYS[1]) or tonumber(ids[#ids])

if ARGV[1] ~= '' then
    for _, key in ipairs({KEYS[2], KEYS[3]}) do
        if is_unknown_set(key) then
            return {'unknown', key}
        end
    end
    local seen, merged = {}, false
    for _, author in ipairs(redis.call('ZINTER', 2, KEYS[3], KEYS[2])) do
        if author ~= '0' then
            local key = ARGV[1] .. author
            if is_unknown_set(key) then
                return {'unknown', key}
            end
            if not merged then
                merged = true
                for _, id in ipairs(ids) do
                    seen[id] = true
                end
            end
            for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, 1, '+inf')) do
                if not seen[id] then
                    seen[id] = true
                    ids[#ids + 1] = id
                end
            end
            floor = math.max(floor, floor_of_set(key))
        end
    end
    if merged then
        table.sort(ids, newest_first)
    end
end

-- Only once a day: a write for each read would cost more than the read.
if redis.call('TTL', KEYS[1]) < ttl - DAY then
    redis.call('EXPIRE', KEYS[1], ttl)
end

local first, last = 1, #ids
while first <= last and tonumber(ids[first]) >= below do
    first = first + 1
end
while last >= first and tonumber(ids[last]) <= above do
    last = last - 1
end
if ARGV[5] == 'oldest' then
    first = math.max(first, last - limit + 1)
end
local answer = {'ok', text(floor)}
for place = first, math.min(last, first + limit - 1) do
    answer[#answer + 1] = ids[place]
end
return answer
