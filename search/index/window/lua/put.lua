-- Puts posts into a segment of the window, at most 25: each gets a number, and its terms get that. One
-- that is there keeps its number, and the terms that it had. Takes about 50 µs for each post.
-- KEYS[1]  the state of the segment
-- ARGV[1]  `put`; `fill`: they come from SQL in order, while others come as they are written; `check`:
--          only says what is missing
-- ARGV[2…] of each post: its id; 1 if it may have had other terms before, else 0; its terms in a row
-- Returns  {what happened, how many were put, ids of those that were missing}. What happened: `done`;
--          `full`, an open segment must be closed first; `elsewhere`, the segment was closed below this
--          id; `unknown`, nobody trusts the segment

--include segment

local it = segment(KEYS[1])
if not it or it.state == 'reserved' or it.life ~= life() or not has_all_ids(it) then
    return {'unknown', 0, {}}
end

local is_check, missing = ARGV[1] == 'check', {}
local last = it.ids > 0 and id_at(it, 'ids', it.ids - 1) or 0
-- While it is filled, the places in order are kept for those that come from SQL.
local takes_order = it.is_open or it.state == 'whole' or ARGV[1] == 'fill'

-- Of buckets, in one command.
local AT_ONCE = 1000

local function append(name, id)
    local number = it[name]
    redis.call('APPEND', it.prefix .. name, struct.pack('>I7', id))
    it[name] = number + 1
    return number
end

-- The next number, or nil and why there is none.
local function new_number(id)
    if id > last and takes_order and it.ids < it.room then
        last = id
        return append('ids', id)
    elseif id > last and it.is_open then
        return nil, 'full'
    elseif it.late == it.spare then
        -- Nobody trusts it any more: it is made again, with all of them in order.
        redis.call('UNLINK', it.key)
        return nil, 'unknown'
    end
    return LATE + append('late', id)
end

-- What buckets hold, as far as they were read; all that changed is written at the end.
local buckets, changed, is_lost = {}, {}, false

local function name_of(bucket)
    return it.prefix .. 'terms:' .. bucket
end

local function read_buckets(terms)
    local numbers, names = {}, {}
    for place = 1, #terms, 6 do
        local bucket = bucket_of(string.sub(terms, place, place + 5))
        if not buckets[bucket] then
            numbers[#numbers + 1], names[#names + 1] = bucket, name_of(bucket)
        end
    end
    for first = 1, #names, AT_ONCE do
        local last = math.min(first + AT_ONCE - 1, #names)
        for place, held in ipairs(redis.call('MGET', unpack(names, first, last))) do
            local bucket = numbers[first + place - 1]
            is_lost = is_lost or not held and redis.call('GETBIT', it.prefix .. 'buckets', bucket) == 1
            buckets[bucket] = held or EMPTY
        end
    end
end

local function write_buckets()
    local pairs_ = {}
    for bucket, is_new in pairs(changed) do
        pairs_[#pairs_ + 1], pairs_[#pairs_ + 2] = name_of(bucket), buckets[bucket]
        if is_new then
            redis.call('SETBIT', it.prefix .. 'buckets', bucket, 1)
        end
    end
    for first = 1, #pairs_, 2 * AT_ONCE do
        redis.call('MSET', unpack(pairs_, first, math.min(first + 2 * AT_ONCE - 1, #pairs_)))
    end
end

local function change(bucket, ...)
    changed[bucket] = changed[bucket] or buckets[bucket] == EMPTY
    buckets[bucket] = table.concat({...})
end

local function packed_number(number)
    return string.char(math.floor(number / 256), number % 256)
end

local function add_term(bucket, held, terms, digest, number)
    local digests, counts = HEAD + DIGEST * terms, HEAD + (DIGEST + 1) * terms
    change(
        bucket, struct.pack('>I3', terms + 1), string.sub(held, HEAD + 1, digests), digest,
        string.sub(held, digests + 1, counts), '\1', string.sub(held, counts + 1), packed_number(number)
    )
end

-- Its numbers leave the bucket.
local function make_set(bucket, digest, held, counted, from, count)
    local numbers = {}
    for at = from, from + 2 * count - 1, 2 do
        numbers[#numbers + 1] = number_at(held, at) - SHIFT
    end
    redis.call('SADD', it.prefix .. set_of(bucket, digest), unpack(numbers))
    change(
        bucket, string.sub(held, 1, counted - 1), '\0', string.sub(held, counted + 1, from - 1),
        string.sub(held, from + 2 * count)
    )
end

-- Where a number is among those of a term, or belongs.
local function place_among(held, from, count, number)
    local at = from + 2 * count
    while at > from and number_at(held, at - 2) >= number do
        at = at - 2
    end
    return at, at < from + 2 * count and number_at(held, at) == number
end

local function add(term, number)
    local bucket, digest = bucket_of(term)
    local held = buckets[bucket]
    local place, terms = place_of(held, digest)
    if not place then
        return add_term(bucket, held, terms, digest, number)
    end
    local count, counted = count_of(held, place, terms)
    if count > 0 then
        local from = begin_of(held, place, terms)
        local at, is_there = place_among(held, from, count, number)
        if is_there then
            return
        elseif count < PACKED then
            return change(
                bucket, string.sub(held, 1, counted - 1), string.char(count + 1),
                string.sub(held, counted + 1, at - 1), packed_number(number), string.sub(held, at)
            )
        end
        make_set(bucket, digest, held, counted, from, count)
    end
    redis.call('SADD', it.prefix .. set_of(bucket, digest), number - SHIFT)
end

local function lacks(term, number)
    local bucket, digest = bucket_of(term)
    local held = buckets[bucket]
    local place, terms = place_of(held, digest)
    if not place then
        return true
    end
    local count = count_of(held, place, terms)
    if count == 0 then
        return redis.call('SISMEMBER', it.prefix .. set_of(bucket, digest), number - SHIFT) == 0
    end
    local _, is_there = place_among(held, begin_of(held, place, terms), count, number)
    return not is_there
end

local function lacks_any(number, terms)
    read_buckets(terms)
    for place = 1, #terms, 6 do
        if lacks(string.sub(terms, place, place + 5), number) then
            return true
        end
    end
    return redis.call('SISMEMBER', it.prefix .. 'gone', number - SHIFT) == 1
end

local function put(id, is_changed, terms)
    local number = number_of(it, id)
    if number then
        redis.call('SREM', it.prefix .. 'gone', number - SHIFT)
        if is_changed then
            it.edited = it.edited + redis.call('SADD', it.prefix .. 'edited', number - SHIFT)
        end
    else
        local why
        number, why = new_number(id)
        if why then
            return why
        end
    end
    read_buckets(terms)
    if is_lost then
        redis.call('UNLINK', it.key)
        return 'unknown'
    end
    for place = 1, #terms, 6 do
        add(string.sub(terms, place, place + 5), number)
    end
end

-- The counts come last: if a script dies before, nobody trusts the segment.
local function finished(word, done)
    write_buckets()
    if not is_check and done > 0 then
        redis.call('HSET', it.key, 'ids', it.ids, 'late', it.late, 'edited', it.edited)
        if ARGV[1] == 'fill' then
            redis.call('HSET', it.key, 'filled', ARGV[3 * done - 1])
        end
    end
    return {word, done, missing}
end

for place = 2, #ARGV, 3 do
    local id, done = tonumber(ARGV[place]), (place - 2) / 3
    if id < it.first or it.below and id >= it.below then
        return finished('elsewhere', done)
    elseif is_check then
        local number = number_of(it, id)
        if not number or lacks_any(number, ARGV[place + 2]) then
            missing[#missing + 1] = ARGV[place]
        end
    else
        local why = put(id, ARGV[place + 1] == '1', ARGV[place + 2])
        if why == 'unknown' then
            return {why, done, missing}
        elseif why then
            return finished(why, done)
        end
    end
end
return finished('done', (#ARGV - 1) / 3)
