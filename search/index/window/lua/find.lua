-- Finds the newest posts of a segment that have some terms. Posts with other terms may be among them,
-- but none is missing from where the answer says that it stopped.
-- KEYS[1]  the state of the segment
-- ARGV[1]  how many are needed
-- ARGV[2]  ids below this one
-- ARGV[3]  ids above this one
-- ARGV[4]  after about so many postings it stops
-- ARGV[5]  terms that they must not have, six bytes each, in a row
-- ARGV[6…] alternatives: terms that they must all have, likewise
-- Returns  {the life of the segment, its first id, the first id above it or '', where it stopped: all
--          from this id on were found; '' if that is all of them, ids, newest first}; or {} if nobody
--          may trust the segment, which is then unknown for all

--include segment

local BLOCK, SLICE = 1024, 64
-- Up to so many, all postings are read at once: of one term, or of several.
local FEW, FEW_SHARED = 512, 2048

local it = segment(KEYS[1])
if not it or it.state ~= 'whole' then
    return {}
elseif not has_all_ids(it) then
    redis.call('UNLINK', it.key)
    return {}
end

local need, below, above = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local work, is_lost = tonumber(ARGV[4]), false

-- The blocks of numbers that all segments of a slot share. A set meets one, and only what is in it is
-- looked at.
local function block(number)
    local name = string.gsub(it.prefix, '%d+:$', '') .. 'blocks:' .. number
    if redis.call('SCARD', name) ~= BLOCK then
        redis.call('UNLINK', name)
        local numbers = {}
        for place = 0, BLOCK - 1 do
            numbers[place + 1] = number * BLOCK + place - SHIFT
        end
        redis.call('SADD', name, unpack(numbers))
    end
    return name
end

local function posting(term)
    local name, field, bucket = bucket_of(it, term)
    local packed = redis.call('HGET', name, field)
    if not packed then
        -- Was anything written to it, and is that lost?
        local written = it.prefix .. 'buckets'
        if redis.call('GETBIT', written, bucket) == 1 then
            is_lost = is_lost or redis.call('EXISTS', name) == 0
        elseif it.ids + it.late > 0 then
            is_lost = is_lost or redis.call('EXISTS', written) == 0
        end
        return {size = 0}
    elseif packed == '' then
        local set = set_of(it, bucket, field)
        local size = redis.call('SCARD', set)
        is_lost = is_lost or size <= PACKED
        return {size = size, set = set}
    end
    local numbers, has = {}, {}
    for place = 1, #packed, 2 do
        local high, low = string.byte(packed, place, place + 1)
        numbers[#numbers + 1] = high * 256 + low
        has[high * 256 + low] = true
    end
    return {size = #numbers, numbers = numbers, has = has}
end

local function postings(terms)
    local found = {}
    for place = 1, #terms, 6 do
        found[#found + 1] = posting(string.sub(terms, place, place + 5))
    end
    table.sort(found, function(one, other) return one.size < other.size end)
    return found
end

-- Which of some numbers a set has: 1 or 0 for each.
local function in_set(set, numbers)
    if #numbers == 0 then
        return {}
    end
    local shifted = {}
    for place, number in ipairs(numbers) do
        shifted[place] = number - SHIFT
    end
    return redis.call('SMISMEMBER', set, unpack(shifted))
end

local function among(numbers, list)
    if list.set then
        return in_set(list.set, numbers)
    end
    local has = {}
    for place, number in ipairs(numbers) do
        has[place] = list.has and list.has[number] and 1 or 0
    end
    return has
end

local refused = postings(ARGV[5])
if #refused > 0 and redis.call('SCARD', it.prefix .. 'edited') ~= it.edited then
    is_lost = true
end

local has_gone = redis.call('EXISTS', it.prefix .. 'gone') == 1

-- Without those that are gone, or have what they must not. Of one that was edited nobody knows that.
local function kept(numbers)
    if not has_gone and #refused == 0 then
        return numbers
    end
    local drop = has_gone and in_set(it.prefix .. 'gone', numbers) or {}
    if #refused > 0 and #numbers > 0 then
        local edited = in_set(it.prefix .. 'edited', numbers)
        for _, list in ipairs(refused) do
            for place, has in ipairs(among(numbers, list)) do
                if has == 1 and edited[place] == 0 then
                    drop[place] = 1
                end
            end
        end
    end
    local found = {}
    for place, number in ipairs(numbers) do
        if drop[place] ~= 1 then
            found[#found + 1] = number
        end
    end
    return found
end

-- From an answer of Redis, which is in order already if sets are as they should be.
local function unshifted(members)
    local numbers, is_sorted = {}, true
    for place, member in ipairs(members) do
        numbers[place] = tonumber(member) + SHIFT
        is_sorted = is_sorted and (place == 1 or numbers[place - 1] < numbers[place])
    end
    if not is_sorted then
        table.sort(numbers)
    end
    return numbers
end

-- All numbers that these have in common: for few.
local function shared(lists)
    local first, numbers = lists[1], lists[1].numbers
    if first.set then
        local sets = {}
        for place, list in ipairs(lists) do
            sets[place] = list.set
        end
        work = work - first.size
        return unshifted(redis.call('SINTER', unpack(sets)))
    end
    for place = 2, #lists do
        local has, both = among(numbers, lists[place]), {}
        for at, number in ipairs(numbers) do
            if has[at] == 1 then
                both[#both + 1] = number
            end
        end
        numbers = both
    end
    table.sort(numbers)
    return numbers
end

local function shared_in_block(lists, number)
    local sets = {block(number)}
    for place, list in ipairs(lists) do
        sets[place + 1] = list.set
    end
    work = work - BLOCK
    return unshifted(redis.call('SINTER', unpack(sets)))
end

local from, downto_ = count_below(it, below), above < it.first and 0 or count_below(it, above + 1)
local found, late, stopped = {}, {}, downto_

-- The highest of some numbers in order, until there are enough; then it stops at the last one.
local function note(numbers, count)
    local place = #numbers
    while place > 0 and (numbers[place] >= LATE or count < need) do
        local slice, lowest = {}, LATE
        while place > 0 and #slice < SLICE do
            lowest = numbers[place]
            if lowest >= LATE or lowest >= stopped and lowest < from then
                slice[#slice + 1] = lowest
            end
            place = place - 1
        end
        for _, number in ipairs(kept(slice)) do
            if number >= LATE then
                late[number] = true
            else
                found[number] = true
                count = count + 1
            end
        end
        if count >= need and place > 0 and lowest < LATE then
            stopped = math.max(stopped, lowest)
        end
    end
    return count
end

-- From the newest block, until there are enough; and those that came late.
local function note_by_blocks(lists)
    for number = LATE / BLOCK, LATE / BLOCK + math.ceil(it.late / BLOCK) - 1 do
        note(shared_in_block(lists, number), 0)
    end
    local count, number = 0, math.floor((from - 1) / BLOCK)
    while number * BLOCK >= stopped - BLOCK + 1 and number >= 0 do
        count = note(shared_in_block(lists, number), count)
        if count >= need or work <= 0 then
            stopped = math.max(stopped, number * BLOCK)
            return
        end
        number = number - 1
    end
end

for place = 6, #ARGV do
    local lists = postings(ARGV[place])
    local first = lists[1]
    local few = work > 0 and (#lists == 1 and FEW or FEW_SHARED) or 0
    if not first.set or first.size <= few then
        if first.size > 0 then
            note(shared(lists), 0)
        end
    else
        note_by_blocks(lists)
    end
end
if is_lost then
    redis.call('UNLINK', it.key)
    return {}
end

-- Numbers in order, the highest first; only those that may be among the newest become ids.
local numbers, ids = {}, {}
for number in pairs(found) do
    if number >= stopped then
        numbers[#numbers + 1] = number
    end
end
table.sort(numbers, function(one, other) return one > other end)
for place = 1, math.min(need, #numbers) do
    ids[place] = id_of(it, numbers[place])
end
local lowest = stopped > downto_ and id_at(it, 'ids', stopped) or 0
if #numbers >= need then
    lowest = ids[need]
end
for number in pairs(late) do
    local id = id_of(it, number)
    if id > above and id < below and id >= lowest then
        ids[#ids + 1] = id
    end
end
table.sort(ids, function(one, other) return one > other end)
local texts = {}
for place = 1, math.min(need, #ids) do
    texts[place] = string.format('%.0f', ids[place])
end
local function text(number)
    return number and string.format('%.0f', number) or ''
end
return {
    it.life, text(it.first), text(it.below), lowest > 0 and #ids < need and text(lowest) or '',
    table.concat(texts, ' '),
}
