-- Adds a part of what was read from SQL, if nothing was removed from the set since the reading began.
-- KEYS[1]  the set
-- ARGV[1]  version, from `loaded_set_open`
-- ARGV[2]  '' if more parts follow; with the last the floor: the lowest score that was read, or 0
--          if there is nothing else in SQL
-- ARGV[3…] score, member, score, member …
-- Returns  1, or 0 if the load must start over.

--include redistools/loaded_set

local key, version, floor = KEYS[1], ARGV[1], ARGV[2]
if redis.call('ZSCORE', key, BUILDING) ~= version then
    return 0
end
if #ARGV > 2 then
    redis.call('ZADD', key, unpack(ARGV, 3))
end
if floor == '0' then
    redis.call('ZADD', key, 0, WHOLE)
elseif floor ~= '' then
    -- Others may have put older ones in meanwhile; between them and the floor SQL has more.
    redis.call('ZREMRANGEBYSCORE', key, 0, '(' .. floor)
end
if floor ~= '' then
    redis.call('ZREM', key, BUILDING)
end
return 1
