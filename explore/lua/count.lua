-- Counts what a person did for an item of a board, unless they counted already.
-- A score is the logarithm (base 2) of a sum that halves with each half-life: a weight w at time t
-- adds 2^(t / half-life) * w. So nothing ever has to be rescaled, and it does not matter in which
-- order things are counted.
-- A newcomer to a full board takes the place of the lowest, and its score: starting from nothing,
-- it would be the lowest again and again, and never rise. So a score is too high by at most the
-- sum of everything divided by the size of the board.
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

local board, people, written = KEYS[1], KEYS[2], KEYS[3]
local item, person, moment = ARGV[1], ARGV[2], tonumber(ARGV[3])
local at = moment + tonumber(ARGV[12])
local size, again, most_people = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local function log2(number)
    return math.log(number) / math.log(2)
end

-- log2(2^one + 2^other): the numbers themselves are far too large.
local function sum(one, other)
    local high, low = math.max(one, other), math.min(one, other)
    return high + log2(1 + 2 ^ (low - high))
end

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

local function replace_lowest()
    local lowest = redis.call('ZPOPMIN', board)
    redis.call('UNLINK', ARGV[10] .. lowest[1])
    if written then
        redis.call('HDEL', written, lowest[1])
    end
    return tonumber(lowest[2])
end

if is_counted() then
    return 0
end
remember()
local score = moment / tonumber(ARGV[5]) + log2(tonumber(ARGV[4]))
local held = tonumber(redis.call('ZSCORE', board, item) or nil)
if not held and redis.call('ZCARD', board) >= size then
    held = replace_lowest()
end
redis.call('ZADD', board, string.format('%.17g', held and sum(held, score) or score), item)
return 1
