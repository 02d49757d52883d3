-- Merges an author's newest statuses into a timeline that has just gained the author.
-- KEYS[1]  the timeline
-- KEYS[2]  its sources: a loaded set of author ids
-- KEYS[3]  the statuses deleted lately, as this partition knows them
-- ARGV[1]  id of the author
-- ARGV[2]  the lowest of the statuses if the author has older ones, else 0
-- ARGV[3]  cap: how many statuses a timeline keeps
-- ARGV[4…] ids of the statuses
-- Returns  how many statuses the timeline holds now; 0 if it is not there, or the author is gone.

local timeline, lowest, cap = KEYS[1], ARGV[2], tonumber(ARGV[3])
if redis.call('ZCARD', timeline) == 0 or not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    return 0
end
for place = 4, #ARGV do
    if not redis.call('ZSCORE', KEYS[3], ARGV[place]) then
        redis.call('ZADD', timeline, ARGV[place], ARGV[place])
    end
end
-- Older statuses of the author are not in it: from here down it is no longer whole, so cut it off.
if lowest ~= '0' then
    redis.call('ZREMRANGEBYSCORE', timeline, 0, '(' .. lowest)
end
redis.call('ZREMRANGEBYRANK', timeline, 0, -(cap + 1))
return redis.call('ZCARD', timeline)
