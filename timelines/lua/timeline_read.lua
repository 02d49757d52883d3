-- Reads a page of ids from a timeline, with the statuses of pulled authors and tags merged in.
-- KEYS[1]  the timeline
-- KEYS[2]  its sources: a loaded set of author ids
-- KEYS[3]  the pulled authors, as this partition knows them: a loaded set
-- KEYS[4]  the tags that its reader follows: a loaded set; only where tags are merged
-- ARGV[1]  what the pulled authors' keys begin with; empty: merge none
-- ARGV[2]  what the keys of tags begin with; empty: merge none
-- ARGV[3]  above: ids must be higher
-- ARGV[4]  below: ids must be lower; empty: no bound
-- ARGV[5]  limit
-- ARGV[6]  'newest' or 'oldest': from which end of the range to take
-- ARGV[7]  seconds that a timeline lives after it was read
-- ARGV[8]  'stale' if this may be a replica, which can't write
-- Returns  {'ok', floor, id, id, …} the newest first; below the floor only SQL knows.
--          {'unknown', key, key, …} if these must be loaded first, or the master be asked.

--include timeline
--include audience
--include keep_alive

local above, below = tonumber(ARGV[3]), tonumber(ARGV[4]) or math.huge
local limit, oldest, ttl = tonumber(ARGV[5]), ARGV[6] == 'oldest', tonumber(ARGV[7])

-- The first place whose id is lower than the bound, by binary search.
local function place_below(key, bound, length)
    local from, to = 0, length
    while from < to do
        local middle = math.floor((from + to) / 2)
        if tonumber(redis.call('LINDEX', key, middle)) < bound then
            to = middle
        else
            from = middle + 1
        end
    end
    return from
end

local function page_of_list(key, length)
    local first = below == math.huge and 0 or place_below(key, below, length)
    local past = above == 0 and length or place_below(key, above + 1, length)
    if oldest then
        first = math.max(first, past - limit)
    end
    past = math.min(past, first + limit)
    return past > first and redis.call('LRANGE', key, first, past - 1) or {}
end

if is_unknown(KEYS[1]) then
    return {'unknown', KEYS[1]}
end
local mark, length = mark_of(KEYS[1]), redis.call('LLEN', KEYS[1])
length = mark and length - 1 or length
local floor = floor_of(KEYS[1])
local ids = page_of_list(KEYS[1], length)

local unknown, tags = {}, {}

-- As many as are wanted, from the right end.
local function cut(all)
    if #all <= limit then
        return all
    end
    local kept, before = {}, oldest and #all - limit or 0
    for place = 1, limit do
        kept[place] = all[before + place]
    end
    return kept
end

-- Once there are enough ids, only asks for those that would push others out.
local function merge(key)
    local down_to, low, high = known_floor(key), ARGV[3], ARGV[4]
    if not down_to then
        unknown[#unknown + 1] = key
        return
    end
    if #ids >= limit then
        low, high = oldest and low or ids[#ids], oldest and ids[1] or high
    end
    floor = math.max(floor, down_to)
    local more = page_of_set(key, low, high, limit, oldest)
    if #more > 0 then
        ids = cut(merged(ids, more))
    end
end

if ARGV[1] ~= '' then
    for _, key in ipairs({KEYS[2], KEYS[3]}) do
        if is_unknown_set(key) then
            return {'unknown', key}
        end
    end
    for _, author in ipairs(shared_members(KEYS[3], KEYS[2])) do
        merge(ARGV[1] .. author)
    end
end

if ARGV[2] ~= '' then
    local followed = members_of(KEYS[4])
    if not followed then
        return {'unknown', KEYS[4]}
    end
    for place, tag in ipairs(followed) do
        tags[place] = ARGV[2] .. tag
        merge(tags[place])
    end
end

if #unknown > 0 then
    return {'unknown', unpack(unknown)}
end
if ARGV[8] == '' then
    keep_alive(KEYS[1], ttl, tags)
elseif is_due(KEYS[1], ttl) then
    return {'unknown', KEYS[1]}
end

local answer = {'ok', text(floor)}
for place, id in ipairs(ids) do
    answer[place + 2] = id
end
return answer
