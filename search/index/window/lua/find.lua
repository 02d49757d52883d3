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
--          from this id on were found; '' if that is all of them, {ids, newest first}}; or {} if nobody
--          may trust the segment, which is then unknown for all

--include segment

local BLOCK = 1024
-- Up to so many, all that sets have in common is asked at once: of one for each that is needed, and of
-- several.
local FEW, FEW_SHARED = 10, 4096
-- So many ids are read in one piece, at most.
local SPAN = 1024

local it = segment(KEYS[1])
if not it or it.state ~= 'whole' then
    return {}
elseif not has_all_ids(it) then
    redis.call('UNLINK', it.key)
    return {}
end

local need, below, above = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local work, is_lost = tonumber(ARGV[4]), false
local gone, edited = it.prefix .. 'gone', it.prefix .. 'edited'
local blocks = string.gsub(it.prefix, '%d+:$', '') .. 'blocks:'

-- Members of sets are numbers less SHIFT: as Redis gives them, or as Lua's numbers.

-- The blocks of numbers that all segments of a slot share. A set meets one, and only what is in it is
-- looked at.
local function block(number)
    local name = blocks .. number
    if redis.call('SCARD', name) ~= BLOCK then
        redis.call('UNLINK', name)
        local members = {}
        for place = 0, BLOCK - 1 do
            members[place + 1] = number * BLOCK + place - SHIFT
        end
        redis.call('SADD', name, unpack(members))
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
        return {size = 0, members = {}, has = {}}
    elseif packed == '' then
        local set = set_of(it, bucket, field)
        local size = redis.call('SCARD', set)
        is_lost = is_lost or size <= PACKED
        return {size = size, set = set}
    end
    local members, has = {}, {}
    for place = 1, #packed, 2 do
        local high, low = string.byte(packed, place, place + 1)
        local member = high * 256 + low - SHIFT
        members[#members + 1] = member
        has[member] = 1
    end
    table.sort(members)
    return {size = #members, members = members, has = has}
end

local function postings(terms)
    local found = {}
    for place = 1, #terms, 6 do
        found[#found + 1] = posting(string.sub(terms, place, place + 5))
    end
    table.sort(found, function(one, other) return one.size < other.size end)
    return found
end

-- Which of some members a list has: 1 or 0 for each.
local function among(members, list)
    if #members > 0 and list.set then
        return redis.call('SMISMEMBER', list.set, unpack(members))
    end
    local has = {}
    for place, member in ipairs(members) do
        has[place] = list.has[tonumber(member)] or 0
    end
    return has
end

local refused = postings(ARGV[5])
if #refused > 0 and redis.call('SCARD', edited) ~= it.edited then
    is_lost = true
end
local has_gone

local has_gone = redis.call('EXISTS', it.prefix .. 'gone') == 1

-- Without those that are gone, or have what they must not. Of one that was edited nobody knows that.
local function kept(members)
    if has_gone == nil then
        has_gone = redis.call('EXISTS', gone) == 1
    end
    if not has_gone and #refused == 0 then
        return members
    end
    local drop = has_gone and among(members, {set = gone}) or {}
    local unknown = #refused > 0 and it.edited > 0 and among(members, {set = edited}) or {}
    for _, list in ipairs(refused) do
        for place, has in ipairs(among(members, list)) do
            if has == 1 and unknown[place] ~= 1 then
                drop[place] = 1
            end
        end
    end
    local found = {}
    for place, member in ipairs(members) do
        if drop[place] ~= 1 then
            found[#found + 1] = member
        end
    end
    return found
end

-- What sets have in common. Redis keeps them in order, while they are compact.
local function shared_by_sets(sets, lists)
    local members = redis.call('SINTER', unpack(sets))
    if #members > need then
        for _, list in ipairs(lists) do
            if redis.call('OBJECT', 'ENCODING', list.set) ~= 'intset' then
                table.sort(members, function(one, other) return tonumber(one) < tonumber(other) end)
                break
            end
        end
    end
    return members
end

local function sets_of(lists)
    local sets = {}
    for place, list in ipairs(lists) do
        sets[place] = list.set
    end
    return sets
end

-- All that these have in common, in order: for few.
local function shared(lists)
    local first, members = lists[1], lists[1].members
    if first.set then
        work = work - first.size
        return shared_by_sets(sets_of(lists), lists)
    end
    for place = 2, #lists do
        local both = {}
        for at, has in ipairs(among(members, lists[place])) do
            if has == 1 then
                both[#both + 1] = members[at]
            end
        end
        members = both
    end
    return members
end

local alternatives, is_nowhere = {}, true
for place = 6, #ARGV do
    local lists = postings(ARGV[place])
    alternatives[#alternatives + 1] = lists
    is_nowhere = is_nowhere and lists[1].size == 0
end
if is_nowhere and not is_lost then
    return {it.life, it.first, it.below or '', '', {}}
end

local from, downto_ = count_below(it, below), above < it.first and 0 or count_below(it, above + 1)
local found, seen, late, stopped = {}, {}, {}, downto_

-- From the end: returns how many there were, once there are enough.
local function note(members)
    local place, count = #members, 0
    while place > 0 and count < need do
        local some, number = {}, nil
        while place > 0 and #some < need do
            number = members[place] + SHIFT
            if number >= LATE or number >= downto_ and number < from then
                some[#some + 1] = members[place]
            end
            place = place - 1
        end
        for _, member in ipairs(kept(some)) do
            local number = member + SHIFT
            if number >= LATE then
                late[number] = true
            else
                count = count + 1
                if not seen[number] then
                    seen[number] = true
                    found[#found + 1] = number
                end
            end
        end
        if place > 0 and count >= need then
            stopped = math.max(stopped, number)
        end
    end
    return count
end

-- From the newest block, until there are enough; and those that came late.
local function note_by_blocks(lists)
    local sets = sets_of(lists)
    local count, number, meets = 0, math.floor((from - 1) / BLOCK), #sets + 1
    local function note_block(number)
        sets[meets] = block(number)
        work = work - BLOCK
        return note(shared_by_sets(sets, lists))
    end
    for number = LATE / BLOCK, LATE / BLOCK + math.ceil(it.late / BLOCK) - 1 do
        note_block(number)
    end
    while number * BLOCK >= stopped - BLOCK + 1 and number >= 0 do
        count = count + note_block(number)
        if count >= need or work <= 0 then
            stopped = math.max(stopped, number * BLOCK)
            return
        end
        number = number - 1
    end
end

for _, lists in ipairs(alternatives) do
    local first = lists[1]
    if first.members or first.size <= (#lists == 1 and FEW * need or FEW_SHARED) then
        note(shared(lists))
    else
        note_by_blocks(lists)
    end
end
if is_lost then
    redis.call('UNLINK', it.key)
    return {}
end

-- Numbers in order, the highest first; only those that may be among the newest become ids.
if #alternatives > 1 then
    table.sort(found, function(one, other) return one > other end)
end
local numbers, ids = {}, {}
for place = 1, math.min(need, #found) do
    if found[place] >= stopped then
        numbers[place] = found[place]
    end
end
local packed, from_number, place = nil, math.huge, 1
while numbers[place] do
    if numbers[place] < from_number then
        from_number = math.max(numbers[place] - SPAN + 1, numbers[#numbers])
        local last = (numbers[place] + 1) * WIDTH - 1
        packed = redis.call('GETRANGE', it.prefix .. 'ids', from_number * WIDTH, last)
    end
    ids[place] = struct.unpack('>I7', packed, (numbers[place] - from_number) * WIDTH + 1)
    place = place + 1
end
local lowest = stopped > downto_ and id_at(it, 'ids', stopped) or 0
if #ids >= need then
    lowest = ids[need]
end
if next(late) then
    for number in pairs(late) do
        local id = id_of(it, number)
        if id > above and id < below and id >= lowest then
            ids[#ids + 1] = id
        end
    end
    table.sort(ids, function(one, other) return one > other end)
end

-- All are below 2^53, so they are exact as integers too.
for place = #ids, need + 1, -1 do
    ids[place] = nil
end
return {it.life, it.first, it.below or '', lowest > 0 and #ids < need and lowest or '', ids}
