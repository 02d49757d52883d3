-- Adds a member to a set that is known, and trims it to its highest.
-- KEYS[1]  the set
-- ARGV[1]  score
-- ARGV[2]  member
-- ARGV[3]  cap: how many to keep
-- ARGV[4]  slack: how many more are let in before a trim
-- Returns  1 if the set is known, else 0.

local count = redis.call('ZCARD', KEYS[1])
if count == 0 then
    return 0
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
if count >= ARGV[3] + ARGV[4] then
    redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -(ARGV[3] + 1))
end
return 1
