-- Begins to read the set of an interest or language from SQL, or joins those who do already.
-- KEYS[1]  the set
-- KEYS[2]  its token
-- ARGV[1]  a new token
-- ARGV[2]  for how many seconds it counts
-- Returns  the token, or nothing if the set is there

if redis.call('EXISTS', KEYS[1]) == 1 then
    return false
end
redis.call('SET', KEYS[2], ARGV[1], 'NX')
redis.call('EXPIRE', KEYS[2], ARGV[2])
return redis.call('GET', KEYS[2])
