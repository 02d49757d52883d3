-- Adds a part of what was read from SQL, if nothing was removed from the set since the reading began.
-- KEYS[1]  the set
-- ARGV[1]  version, from `loaded_set_open`
-- ARGV[2]  '' if more parts follow; 'whole' or 'trimmed' with the last: is there nothing else in SQL?
-- ARGV[3…] score, member, score, member …
-- Returns  1, or 0 if the load must start over.

local key, version, last = KEYS[1], ARGV[1], ARGV[2]
if redis.call('ZSCORE', key, 'building') ~= version then
    return 0
end
if #ARGV > 2 then
    redis.call('ZADD', key, unpack(ARGV, 3))
end
if last ~= '' then
    redis.call('ZADD', key, 0, '0')
    redis.call('ZREM', key, 'building')
end
if last == 'trimmed' then
    redis.call('ZREM', key, '0')
end
return 1
