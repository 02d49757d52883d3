-- Notes that a process has said a message, once or more often, within an hour.
-- KEYS[1]  the newest lines of this severity: list
-- KEYS[2]  how often messages were said in the hour: zset
-- KEYS[3]  the messages that are kept, by when they were said last: zset
-- KEYS[4]  the message: hash
-- ARGV[1]  id of the message
-- ARGV[2]  its member in KEYS[2]
-- ARGV[3]  how often it was said
-- ARGV[4]  when it was said last (s since 1970)
-- ARGV[5]  the last line
-- ARGV[6]  how many lines are kept
-- ARGV[7]  how many messages are kept, and counted in an hour
-- ARGV[8]  for how long they are kept (s)
-- ARGV[9]  when KEYS[2] ends (s since 1970)
-- ARGV[10] what the name of a message begins with; its id comes after it
-- ARGV[11] the last traceback, or nothing
-- ARGV[12…] field, value, field, value … of the message
-- Returns  nothing

local lines, frequent, kept, message = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, at, seconds = ARGV[1], ARGV[4], ARGV[8]
local most = tonumber(ARGV[7])

local function is_newer_than(field)
    local held = redis.call('HGET', message, field)
    return not held or tonumber(held) <= tonumber(at)
end

redis.call('LPUSH', lines, ARGV[5])
redis.call('LTRIM', lines, 0, ARGV[6] - 1)

redis.call('ZINCRBY', frequent, ARGV[3], ARGV[2])
redis.call('ZREMRANGEBYRANK', frequent, 0, -most - 1)
redis.call('EXPIREAT', frequent, ARGV[9])

if is_newer_than('at') then
    redis.call('HSET', message, 'at', at, unpack(ARGV, 12))
end
if ARGV[11] ~= '' and is_newer_than('traceback_at') then
    redis.call('HSET', message, 'traceback_at', at, 'traceback', ARGV[11])
end

redis.call('ZADD', kept, 'GT', at, id)
for _, oldest in ipairs(redis.call('ZRANGE', kept, 0, -most - 1)) do
    redis.call('DEL', ARGV[10] .. oldest)
    redis.call('ZREM', kept, oldest)
end
for _, key in ipairs({lines, kept, message}) do
    redis.call('EXPIRE', key, seconds)
end
