-- Adds to a sample of a series in all precisions, or raises it. A key ends by itself once its last
-- sample is old enough: nothing ever has to be trimmed.
-- KEYS     a hash for each precision: samples of a stretch of time, by their place in it
-- ARGV[1]  'add', or 'raise' to keep the highest
-- ARGV[2]  value
-- ARGV[3…] two for each key: the place, and when the key ends (s since 1970)
-- Returns  nothing

local how, value = ARGV[1], ARGV[2]

for number, key in ipairs(KEYS) do
    local place, ends = ARGV[2 * number + 1], ARGV[2 * number + 2]
    if how == 'add' then
        redis.call('HINCRBY', key, place, value)
    else
        local held = redis.call('HGET', key, place)
        if not held or tonumber(held) < tonumber(value) then
            redis.call('HSET', key, place, value)
        end
    end
    if redis.call('HLEN', key) == 1 then
        redis.call('EXPIREAT', key, ends)
    end
end
