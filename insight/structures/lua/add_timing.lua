-- Adds what a process measured to an hour of a page, task or kind of call.
-- KEYS[1]  the hour of this name: hash
-- KEYS[2]  the names of the hour: set
-- KEYS[3]  the slowest of the hour: zset, `<name> <s since 1970>` by ms
-- ARGV[1]  the name
-- ARGV[2]  when all three end (s since 1970)
-- ARGV[3]  how many of the slowest are kept
-- ARGV[4]  `<name> <s since 1970>` of the slowest time
-- ARGV[5]  count
-- ARGV[6]  sum of the times, in ms
-- ARGV[7]  sum of their squares
-- ARGV[8]  the shortest
-- ARGV[9]  the longest
-- ARGV[10…] bucket, count, bucket, count …
-- Returns  nothing

local hour, names, slowest = KEYS[1], KEYS[2], KEYS[3]
local name, ends, least, most = ARGV[1], ARGV[2], ARGV[8], ARGV[9]

local function replace_if(field, value, is_better)
    local held = redis.call('HGET', hour, field)
    if not held or is_better(tonumber(value), tonumber(held)) then
        redis.call('HSET', hour, field, value)
    end
end

redis.call('HINCRBY', hour, 'count', ARGV[5])
redis.call('HINCRBYFLOAT', hour, 'total', ARGV[6])
redis.call('HINCRBYFLOAT', hour, 'squares', ARGV[7])
replace_if('least', least, function(one, other) return one < other end)
replace_if('most', most, function(one, other) return one > other end)
for at = 10, #ARGV, 2 do
    redis.call('HINCRBY', hour, ARGV[at], ARGV[at + 1])
end
redis.call('SADD', names, name)
redis.call('ZADD', slowest, 'GT', most, ARGV[4])
redis.call('ZREMRANGEBYRANK', slowest, 0, -ARGV[3] - 1)
for _, key in ipairs(KEYS) do
    redis.call('EXPIREAT', key, ends)
end
