-- Fills the log of a chat with what was read from SQL, unless it has a newer version.
-- KEYS[1]  the log
-- ARGV[1]  the chat's version before the messages were read
-- ARGV[2]  1 if these are all messages of the chat
-- ARGV[3]  seconds that the log lives
-- ARGV[4…] id and sealed message, in turn
-- Returns  1 if it was filled, else 0

local log, version = KEYS[1], tonumber(ARGV[1])
local held = tonumber(redis.call('HGET', log, 'version') or nil)
if held and held > version then
    return 0
end
redis.call('UNLINK', log)
redis.call('HSET', log, 'version', version, 'whole', ARGV[2])
for place = 4, #ARGV, 2 do
    redis.call('HSET', log, ARGV[place], ARGV[place + 1])
end
redis.call('EXPIRE', log, ARGV[3])
return 1
