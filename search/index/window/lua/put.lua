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
local ids, late, edited = it.ids, it.late, it.edited
-- While it is filled, the places in order are kept for those that come from SQL.
local takes_order = it.is_open or it.state == 'whole' or ARGV[1] == 'fill'

local function keep_counts()
    if it.ids ~= ids or it.late ~= late or it.edited ~= edited then
        redis.call('HSET', it.key, 'ids', it.ids, 'late', it.late, 'edited', it.edited)
    end
end

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

local function add(term, number)
    local name, field, bucket = bucket_of(it, term)
    local packed = redis.call('HGET', name, field)
    if not packed then
        redis.call('HSET', name, field, packed_number(number))
        redis.call('SETBIT', it.prefix .. 'buckets', bucket, 1)
    elseif packed == '' then
        redis.call('SADD', set_of(it, bucket, field), number - SHIFT)
    elseif is_packed_in(packed, number) then
        return
    elseif #packed < 2 * PACKED then
        redis.call('HSET', name, field, packed .. packed_number(number))
    else
        local numbers = {number - SHIFT}
        for place = 1, #packed, 2 do
            local high, low = string.byte(packed, place, place + 1)
            numbers[#numbers + 1] = high * 256 + low - SHIFT
        end
        redis.call('SADD', set_of(it, bucket, field), unpack(numbers))
        redis.call('HSET', name, field, '')
    end
end

local function lacks(term, number)
    local name, field, bucket = bucket_of(it, term)
    local packed = redis.call('HGET', name, field)
    if packed == '' then
        return redis.call('SISMEMBER', set_of(it, bucket, field), number - SHIFT) == 0
    end
    return not packed or not is_packed_in(packed, number)
end

local function lacks_any(number, terms)
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
    for place = 1, #terms, 6 do
        add(string.sub(terms, place, place + 5), number)
    end
end

for place = 2, #ARGV, 3 do
    local id, done = tonumber(ARGV[place]), (place - 2) / 3
    if id < it.first or it.below and id >= it.below then
        keep_counts()
        return {'elsewhere', done, missing}
    elseif is_check then
        local number = number_of(it, id)
        if not number or lacks_any(number, ARGV[place + 2]) then
            missing[#missing + 1] = ARGV[place]
        end
    else
        local why = put(id, ARGV[place + 1] == '1', ARGV[place + 2])
        if ARGV[1] == 'fill' and not why then
            redis.call('HSET', it.key, 'filled', ARGV[place])
        end
        if why == 'unknown' then
            return {'unknown', done, missing}
        end
        keep_counts()
        ids, late, edited = it.ids, it.late, it.edited
        if why then
            return {why, done, missing}
        end
    end
end
return {'done', (#ARGV - 1) / 3, missing}
