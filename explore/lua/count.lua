-- Counts what a person did for an item of a board, unless they counted already.
-- KEYS[1]  the board: zset, items by score
-- KEYS[2]  who counted for this item: zset, people by when they last did
-- KEYS[3]  how items are written: hash; only tags have one
-- ARGV[1]  the item
-- ARGV[2]  the person, and what they did if several things count
-- ARGV[3]  when, in ms since the epoch of ids: shorter numbers keep what is behind the point
-- ARGV[4]  weight
-- ARGV[5]  half-life in ms
-- ARGV[6]  how many items the board holds
-- ARGV[7]  ms after which a person counts again; empty: never
-- ARGV[8]  how many people of an item are remembered
-- ARGV[9]  for how many seconds
-- ARGV[10] what the keys of people begin with
-- ARGV[11] how the item is written
-- ARGV[12] the epoch of ids, in ms since 1970
-- Returns  1 if it counted, 0 if not

--include redistools/board

local board, people, written = KEYS[1], KEYS[2], KEYS[3]
local item, person, moment = ARGV[1], ARGV[2], tonumber(ARGV[3])
local at = moment + tonumber(ARGV[12])
local size, again, most_people = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

-- What happened before everything that is remembered may have counted, and been forgotten.
local function is_counted()
    local last = redis.call('ZSCORE', people, person)
    if last then
        return not again or at < tonumber(last) + again
    end
    if redis.call('ZCARD', people) < most_people then
        return false
    end
    return at <= tonumber(redis.call('ZRANGE', people, 0, 0, 'WITHSCORES')[2])
end

local function remember()
    redis.call('ZADD', people, string.format('%.17g', at), person)
    redis.call('ZREMRANGEBYRANK', people, 0, -most_people - 1)
    redis.call('EXPIRE', people, ARGV[9])
    if written then
        redis.call('HSET', written, item, ARGV[11])
    end
end

local function forget(lowest)
    redis.call('UNLINK', ARGV[10] .. lowest)
    if written then
        redis.call('HDEL', written, lowest)
    end
end

if is_counted() then
    return 0
end
remember()
local score = moment / tonumber(ARGV[5]) + log2(tonumber(ARGV[4]))
add_to_board(board, item, score, size, forget)
return 1
