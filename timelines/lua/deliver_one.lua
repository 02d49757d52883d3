-- Delivers a status to one timeline, if it exists and the status has not been deleted.
-- KEYS[1]  the timeline
-- KEYS[2]  the statuses deleted lately, as this partition knows them
-- ARGV[1]  id of the status
-- ARGV[2]  cap: how many statuses a timeline keeps
-- Returns  1 if it was delivered, else 0.

if redis.call('ZCARD', KEYS[1]) == 0 or redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    return 0
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -(ARGV[2] + 1))
return 1
