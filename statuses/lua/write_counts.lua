-- Writes the counters of a status, if Redis holds it.
-- KEYS[1]  hash of the status
-- ARGV     field, value, field, value …
-- Returns  nothing

if redis.call('EXISTS', KEYS[1]) == 1 then
    redis.call('HSET', KEYS[1], unpack(ARGV))
end
