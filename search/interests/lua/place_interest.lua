-- Puts somebody into the set of an interest or language, or takes them out of it. One that is being
-- read from SQL has to be read again.
-- KEYS[1]  the set
-- KEYS[2]  its token
-- ARGV[1]  the number of the person
-- ARGV[2]  1 if they belong there, else 0
-- Returns  nothing

redis.call('UNLINK', KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
    return
end
redis.call(ARGV[2] == '1' and 'SADD' or 'SREM', KEYS[1], ARGV[1])
