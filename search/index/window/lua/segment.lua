-- What scripts know of a segment of the window: its state, the numbers of its posts, where a term is.

--include redistools/life

-- An id takes seven bytes. Numbers below LATE are in the order of ids; a post that comes late has one
-- above. Sets hold them less SHIFT: so all of them take two bytes there.
local WIDTH, LATE, LAST, SHIFT = 7, 59392, 65535, 32768
local BUCKETS, PACKED = 4096, 32

-- nil if it is unknown.
local function segment(key)
    local names = {'first', 'below', 'state', 'life', 'ids', 'late', 'edited', 'hidden', 'room', 'spare'}
    local found = redis.call('HMGET', key, unpack(names))
    if not found[3] then
        return nil
    end
    local it = {key = key, prefix = string.sub(key, 1, -#'state' - 1)}
    for place, name in ipairs(names) do
        it[name] = tonumber(found[place])
    end
    it.state, it.life = found[3], found[4]
    it.is_open = not it.below
    return it
end

-- Are its ids as many as were written?
local function has_all_ids(it)
    return redis.call('STRLEN', it.prefix .. 'ids') == it.ids * WIDTH
        and redis.call('STRLEN', it.prefix .. 'late') == it.late * WIDTH
end

local function id_at(it, name, place)
    local from = place * WIDTH
    local found = redis.call('GETRANGE', it.prefix .. name, from, from + WIDTH - 1)
    return (struct.unpack('>I7', found))
end

local function id_of(it, number)
    if number < LATE then
        return id_at(it, 'ids', number)
    end
    return id_at(it, 'late', number - LATE)
end

-- How many of the ids in order are below this one.
local function count_below(it, id)
    local low, high = 0, it.ids
    if high == 0 or id > id_at(it, 'ids', high - 1) then
        return high
    end
    while low < high do
        local middle = math.floor((low + high) / 2)
        if id_at(it, 'ids', middle) < id then
            low = middle + 1
        else
            high = middle
        end
    end
    return low
end

-- The number of a post that the segment has, or nil.
local function number_of(it, id)
    local place = count_below(it, id)
    if place < it.ids and id_at(it, 'ids', place) == id then
        return place
    end
    local late = it.late > 0 and redis.call('GET', it.prefix .. 'late') or ''
    local packed, from = struct.pack('>I7', id), 1
    while true do
        local found = string.find(late, packed, from, true)
        if not found then
            return nil
        elseif (found - 1) % WIDTH == 0 then
            return LATE + (found - 1) / WIDTH
        end
        from = found + 1
    end
end

-- A string that grows gets room for as much again; these ids take no more.
local function give_room_back(it)
    local ids = redis.call('GET', it.prefix .. 'ids')
    if ids then
        redis.call('SET', it.prefix .. 'ids', ids)
    end
end

-- A term is six bytes: two for its bucket, four for its digest there.
local function bucket_of(term)
    local high, low = string.byte(term, 1, 2)
    return (high * 256 + low) % BUCKETS, string.sub(term, 3)
end

-- For terms that more posts have than a bucket holds.
local function set_of(bucket, digest)
    return 'in:' .. bucket .. ':' .. string.format('%02x%02x%02x%02x', string.byte(digest, 1, 4))
end

-- A bucket is a string: how many terms it has (HEAD bytes), their digests, how many numbers each has (a
-- byte; 0: they are a set), and these numbers, two bytes each, the lowest first.
local HEAD, DIGEST, EMPTY = 3, 4, '\0\0\0'

-- The place of a term, or nil; and how many terms there are.
local function place_of(held, digest)
    local terms = struct.unpack('>I3', held)
    local from, last = HEAD + 1, HEAD + DIGEST * terms
    while true do
        local found = string.find(held, digest, from, true)
        if not found or found > last then
            return nil, terms
        elseif (found - HEAD - 1) % DIGEST == 0 then
            return (found - HEAD - 1) / DIGEST, terms
        end
        from = found + 1
    end
end

-- How many numbers a term has, and where that is said.
local function count_of(held, place, terms)
    local counted = HEAD + DIGEST * terms + 1 + place
    return string.byte(held, counted), counted
end

-- Where the numbers of a term begin.
local function begin_of(held, place, terms)
    local at = HEAD + DIGEST * terms + 1
    local from, counted = at + terms, at + place
    while at < counted do
        local last = math.min(at + 999, counted - 1)
        for _, count in ipairs({string.byte(held, at, last)}) do
            from = from + 2 * count
        end
        at = last + 1
    end
    return from
end

local function number_at(held, at)
    local high, low = string.byte(held, at, at + 1)
    return high * 256 + low
end
