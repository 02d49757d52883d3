-- Takes those whose time has come.
-- KEYS[1]  users, scored by when they are due, in seconds
-- ARGV[1]  how many at most
-- ARGV[2]  now in ms, or empty: the server's clock
-- Returns  their ids, the longest due first

--include redistools/clock

local now = clock(ARGV[2]) / 1000
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
if #due > 0 then
    redis.call('ZREM', KEYS[1], unpack(due))
end
return due
