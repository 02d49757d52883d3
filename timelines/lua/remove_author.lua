-- Takes an author's statuses out of a timeline that has lost the author.
-- KEYS[1]  the timeline
-- KEYS[2]  its sources: a loaded set of author ids
-- ARGV[1]  id of the author
-- ARGV[2…] ids of the statuses
-- Returns  1, or 0 if the author is a source again: then the statuses belong there.

if redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    return 0
end
redis.call('ZADD', KEYS[1], 'XX', 'INCR', 1, 'building')
if #ARGV > 1 then
    redis.call('ZREM', KEYS[1], unpack(ARGV, 2))
end
return 1
