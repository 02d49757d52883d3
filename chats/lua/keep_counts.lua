-- Keeps what was counted, unless something has changed since the count began.
-- KEYS[1]  a member's counts
-- ARGV[1]  the token of this count
-- ARGV[2]  the counts
-- ARGV[3]  seconds that they live
-- Returns  1 if they were kept, else 0

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
