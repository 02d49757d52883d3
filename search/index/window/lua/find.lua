-- Finds the newest posts of some segments that have some terms. Posts with other terms may be among
-- them, but none is missing from where the answer says that it stopped.
-- KEYS     the states of segments that follow each other, the newest first
-- ARGV[1]  how many are needed
-- ARGV[2]  ids below this one
-- ARGV[3]  ids above this one
-- ARGV[4]  after about so many postings it stops
-- ARGV[5]  terms that they must not have, six bytes each, in a row
-- ARGV[6…] alternatives: terms that they must all have, likewise
-- Returns  {the life of the segments, the first id of the last one that was looked at, the first id above
--          the first one or '', where it stopped: all from this id on were found; '' if that is all of
--          them, {ids, newest first}}. It ends before a segment that nobody may trust; {} if that is the
--          first

--include segment

local BLOCK = 1024
-- Up to so many, all that sets have in common is asked at once: of one for each that is needed, and of
-- several.
local FEW, FEW_SHARED = 10, 4096
-- So many ids are read in one piece, at most; and what a segment costs at least, in postings.
local SPAN, LEAST_WORK = 1024, 250

local need, below, above, work = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local blocks = string.gsub(KEYS[1], '%d+:state$', '') .. 'blocks:'
local ids = {}

-- The terms, each once, and the places there of what is asked.
local terms, place_by_term = {}, {}
local function read_terms(packed)
    local places = {}
    for at = 1, #packed, 6 do
        local term = string.sub(packed, at, at + 5)
        if not place_by_term[term] then
            local bucket, digest = bucket_of(term)
            terms[#terms + 1] = {bucket = bucket, name = 'terms:' .. bucket, digest = digest}
            place_by_term[term] = #terms
        end
        places[#places + 1] = place_by_term[term]
    end
    return places
end

local refused_places, alternative_places = read_terms(ARGV[5]), {}
for place = 6, #ARGV do
    alternative_places[place - 5] = read_terms(ARGV[place])
end

-- Of the segment that is looked at. Members of sets are numbers less SHIFT: as Redis gives them, or as
-- Lua's numbers.
local it, refused, is_lost, from, downto_, stopped, found, seen, late
local NONE = {size = 0, members = {}, has = {}}

-- The blocks of numbers that all segments of a slot share. A set meets one, and only what is in it is
-- looked at. Returns whether it had to be made.
local function make_block(number)
    local name = blocks .. number
    if redis.call('SCARD', name) == BLOCK then
        return false
    end
    redis.call('UNLINK', name)
    local members = {}
    for place = 0, BLOCK - 1 do
        members[place + 1] = number * BLOCK + place - SHIFT
    end
    redis.call('SADD', name, unpack(members))
    return true
end

-- Was anything written to a bucket that is not there?
local function is_bucket_lost(bucket)
    local written = it.prefix .. 'buckets'
    if redis.call('GETBIT', written, bucket) == 1 then
        return true
    end
    return it.ids + it.late > 0 and redis.call('EXISTS', written) == 0
end

local function posting(term, held)
    if not held then
        is_lost = is_lost or is_bucket_lost(term.bucket)
        return NONE
    end
    local place, count_of_terms = place_of(held, term.digest)
    if not place then
        return NONE
    end
    local size = count_of(held, place, count_of_terms)
    if size == 0 then
        term.set = term.set or set_of(term.bucket, term.digest)
        local set = it.prefix .. term.set
        size = redis.call('SCARD', set)
        is_lost = is_lost or size <= PACKED
        return {size = size, set = set}
    end
    local from, members, has = begin_of(held, place, count_of_terms), {}, {}
    for at = from, from + 2 * size - 1, 2 do
        local member = number_at(held, at) - SHIFT
        members[#members + 1] = member
        has[member] = 1
    end
    return {size = size, members = members, has = has}
end

-- Of each term.
local function read_postings()
    local names, postings = {}, {}
    for place, term in ipairs(terms) do
        names[place] = it.prefix .. term.name
    end
    local buckets = names[1] and redis.call('MGET', unpack(names)) or {}
    for place, term in ipairs(terms) do
        postings[place] = posting(term, buckets[place])
    end
    return postings
end

local function is_smaller(one, other)
    return one.size < other.size
end

-- The smallest first.
local function chosen(postings, places)
    local lists = {}
    for at, place in ipairs(places) do
        lists[at] = postings[place]
    end
    if #lists > 1 then
        table.sort(lists, is_smaller)
    end
    return lists
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

-- Without those that are hidden, or have what they must not. Of one that was edited nobody knows that.
local function kept(members)
    local gone, edited = it.prefix .. 'gone', it.prefix .. 'edited'
    local drop = it.hidden and among(members, {set = gone}) or {}
    local unknown = #refused > 0 and it.edited > 0 and among(members, {set = edited}) or {}
    for _, list in ipairs(refused) do
        for place, has in ipairs(among(members, list)) do
            if has == 1 and unknown[place] ~= 1 then
                drop[place] = 1
            end
        end
    end
    local left = {}
    for place, member in ipairs(members) do
        if drop[place] ~= 1 then
            left[#left + 1] = member
        end
    end
    return left
end

local function is_lower(one, other)
    return tonumber(one) < tonumber(other)
end

-- What sets have in common. Redis keeps them in order, while they are compact.
local function shared_by_sets(sets, lists)
    local members = redis.call('SINTER', unpack(sets))
    if #members > need then
        for _, list in ipairs(lists) do
            if redis.call('OBJECT', 'ENCODING', list.set) ~= 'intset' then
                table.sort(members, is_lower)
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

-- Returns 1 if it counts: what came late is put in its place at the end.
local function take(number)
    if number >= LATE then
        late[number] = true
        return 0
    elseif not seen[number] then
        seen[number] = true
        found[#found + 1] = number
    end
    return 1
end

-- From the end: returns how many there were, once there are enough.
local function note(members)
    local place, count, is_each_kept = #members, 0, not it.hidden and #refused == 0
    while place > 0 and count < need do
        local some, number = {}, nil
        while place > 0 and #some < need and count < need do
            number = members[place] + SHIFT
            if number >= LATE or number >= downto_ and number < from then
                if is_each_kept then
                    count = count + take(number)
                else
                    some[#some + 1] = number - SHIFT
                end
            end
            place = place - 1
        end
        for _, member in ipairs(#some > 0 and kept(some) or some) do
            count = count + take(member + SHIFT)
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
        sets[meets] = blocks .. number
        work = work - BLOCK
        local members = shared_by_sets(sets, lists)
        if #members == 0 and make_block(number) then
            members = shared_by_sets(sets, lists)
        end
        return note(members)
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

local function is_higher(one, other)
    return one > other
end

-- The ids of numbers, the highest first.
local function ids_of(numbers)
    local own, place = {}, 1
    while numbers[place] do
        local last, highest = place, numbers[place]
        while numbers[last + 1] and highest - numbers[last + 1] < SPAN do
            last = last + 1
        end
        local begin = numbers[last] * WIDTH
        local packed = redis.call('GETRANGE', it.prefix .. 'ids', begin, (highest + 1) * WIDTH - 1)
        for at = place, last do
            own[at] = struct.unpack('>I7', packed, numbers[at] * WIDTH - begin + 1)
        end
        place = last + 1
    end
    return own
end

-- Numbers in order; only those that may be among the newest become ids.
local function newest_numbers()
    if #alternative_places > 1 then
        table.sort(found, is_higher)
    end
    local numbers = {}
    for place = 1, math.min(need, #found) do
        if found[place] >= stopped then
            numbers[place] = found[place]
        end
    end
    return numbers
end

local function add_late(own, lowest)
    for number in pairs(late) do
        local id = id_of(it, number)
        if id > above and id < below and id >= lowest then
            own[#own + 1] = id
        end
    end
    table.sort(own, is_higher)
end

-- How many of its ids are below a bound.
local function numbers_below(id)
    if it.below and id >= it.below then
        return it.ids
    end
    return count_below(it, id)
end

-- Adds what the segment has. Returns where that stopped, 0 if it has no more.
local function find_in_segment(alternatives)
    from, downto_ = numbers_below(below), above < it.first and 0 or count_below(it, above + 1)
    stopped, found, seen, late = downto_, {}, {}, {}
    for _, lists in ipairs(alternatives) do
        local first = lists[1]
        if first.members or first.size <= (#lists == 1 and FEW * need or FEW_SHARED) then
            note(shared(lists))
        else
            note_by_blocks(lists)
        end
    end
    local own = ids_of(newest_numbers())
    local lowest = own[need] or stopped > downto_ and id_at(it, 'ids', stopped) or 0
    if next(late) then
        add_late(own, lowest)
    end
    -- All are below 2^53, so they are exact as integers too.
    for place = 1, math.min(need, #own) do
        ids[#ids + 1] = own[place]
    end
    need = need - math.min(need, #own)
    return lowest
end

-- False if nobody may trust the segment. Otherwise also where it stopped, as above.
local function look()
    is_lost = not has_all_ids(it)
    local postings = is_lost or read_postings()
    if #refused_places > 0 and redis.call('SCARD', it.prefix .. 'edited') ~= it.edited then
        is_lost = true
    end
    if is_lost then
        return false
    end
    refused = chosen(postings, refused_places)
    local alternatives = {}
    for _, places in ipairs(alternative_places) do
        local lists = chosen(postings, places)
        if lists[1].size > 0 then
            alternatives[#alternatives + 1] = lists
        end
    end
    return true, alternatives[1] and find_in_segment(alternatives) or 0
end

local life_of_all, end_of_all, first_of_all

local function follows()
    if not it or it.state ~= 'whole' then
        return false
    end
    return not life_of_all or it.life == life_of_all and it.below and it.below >= first_of_all
end

for place, key in ipairs(KEYS) do
    it = segment(key)
    if not follows() then
        break
    end
    local before = #ids
    local is_sound, lowest = look()
    if not is_sound then
        redis.call('UNLINK', key)
        break
    end
    life_of_all, end_of_all = it.life, end_of_all or it.below or ''
    first_of_all, work = it.first, work - LEAST_WORK
    if need == 0 or lowest > 0 then
        return {life_of_all, first_of_all, end_of_all, need > 0 and lowest or '', ids}
    end
    below = math.min(below, it.first)
    if work <= 0 and KEYS[place + 1] and above + 1 < it.first then
        return {life_of_all, first_of_all, end_of_all, it.first, ids}
    end
end
return life_of_all and {life_of_all, first_of_all, end_of_all, '', ids} or {}
