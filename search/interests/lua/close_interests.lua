-- Keeps what was read from SQL, unless somebody has changed the set meanwhile.
-- KEYS[1]  the set
-- KEYS[2]  its token
-- KEYS[3]  what was read
-- ARGV[1]  the token that counted when the reading began
-- ARGV[2]  how many members were read, with the mark
-- Returns  1 if the set is there, else 0

if redis.call('GET', KEYS[2]) == ARGV[1] and redis.call('SCARD', KEYS[3]) == tonumber(ARGV[2]) then
    redis.call('PERSIST', KEYS[3])
    redis.call('RENAME', KEYS[3], KEYS[1])
    redis.call('UNLINK', KEYS[2])
else
    redis.call('UNLINK', KEYS[3])
end
return redis.call('EXISTS', KEYS[1])
