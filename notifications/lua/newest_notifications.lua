-- Reads a page of a recipient's notifications.
-- KEYS[1]  the set
-- ARGV[1]  below: positions must be lower; empty: no bound
-- ARGV[2]  limit
-- Returns  {floor, id, position, id, position …} the newest first; below the floor only SQL knows.
--          nil if the set must be loaded first.

--include redistools/loaded_set

local key = KEYS[1]
if is_unknown_set(key) then
    return false
end
local highest = ARGV[1] == '' and '+inf' or '(' .. ARGV[1]
local page = redis.call('ZREVRANGEBYSCORE', key, highest, '(0', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
table.insert(page, 1, redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2])
return page
