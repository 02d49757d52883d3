-- Reads the members with the highest scores below one.
-- KEYS[1]  the set
-- ARGV[1]  below: scores must be lower; empty: no bound
-- ARGV[2]  limit
-- Returns  {floor, member, score, member, score, …} the highest first; below the score `floor` only
--          SQL knows, 0 if nothing is missing.
--          nil if the set must be loaded first.

--include redistools/loaded_set

if is_unknown_set(KEYS[1]) then
    return false
end
local high = ARGV[1] == '' and '+inf' or '(' .. ARGV[1]
local found = redis.call('ZREVRANGEBYSCORE', KEYS[1], high, '(0', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
table.insert(found, 1, redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2])
return found
