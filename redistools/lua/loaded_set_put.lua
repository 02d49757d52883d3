-- Adds a member to a set that is known, and trims it to its highest. Marks score lower than every
-- member. A set without one is whole down to its lowest member, so nothing is added below that: it
-- would look whole further down than it is.
-- KEYS[1]  the set
-- ARGV[1]  score
-- ARGV[2]  member
-- ARGV[3]  cap: how many to keep
-- ARGV[4]  slack: how many more are let in before a trim
-- Returns  1 if the set is known, else 0.

local lowest = tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2])
if not lowest then
    return 0
end
if lowest <= tonumber(ARGV[1]) then
    redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
end
-- A load needs its mark, the lowest of all, so the trim waits for its end.
if lowest >= 0 and redis.call('ZCARD', KEYS[1]) > ARGV[3] + ARGV[4] then
    redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -(ARGV[3] + 1))
end
return 1
