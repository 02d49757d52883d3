-- Writes the counters of a status, if Redis holds it and no newer ones.
-- KEYS[1]  hash of the status
-- ARGV[1]  their version
-- ARGV[2…] field, value, field, value …
-- Returns  nothing

if redis.call('EXISTS', KEYS[1]) == 1 then
    local held = tonumber(redis.call('HGET', KEYS[1], 'version') or -1)
    if held <= tonumber(ARGV[1]) then
        redis.call('HSET', KEYS[1], unpack(ARGV, 2))
    end
end
