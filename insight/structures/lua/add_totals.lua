-- Adds to many fields of a hash at once.
-- KEYS[1]  the hash
-- ARGV     field, number, field, number …
-- Returns  nothing

for at = 1, #ARGV, 2 do
    redis.call('HINCRBYFLOAT', KEYS[1], ARGV[at], ARGV[at + 1])
end
