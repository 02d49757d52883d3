-- Adds to the sketch of a moment, in steps of several lengths. A key ends by itself.
-- KEYS     a hash for each length of step: how many fell into a bucket, by bucket
-- ARGV     when each key ends (s since 1970); then bucket, count, bucket, count …
-- Returns  nothing

for number, key in ipairs(KEYS) do
    for at = #KEYS + 1, #ARGV, 2 do
        redis.call('HINCRBY', key, ARGV[at], ARGV[at + 1])
    end
    redis.call('EXPIREAT', key, ARGV[number])
end
