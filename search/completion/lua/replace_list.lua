-- Replaces the list of a beginning, unless somebody else was quicker.
-- KEYS[1]  the bucket
-- ARGV[1]  the beginning
-- ARGV[2]  what the caller has read, or put, there
-- ARGV[3]  what replaces it; empty: nothing
-- ARGV[4]  for how many seconds a new bucket lives
-- Returns  1 if it was replaced, else 0

if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
    return 0
end
if ARGV[3] == '' then
    redis.call('HDEL', KEYS[1], ARGV[1])
else
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
    if redis.call('TTL', KEYS[1]) < 0 then
        redis.call('EXPIRE', KEYS[1], ARGV[4])
    end
end
return 1
