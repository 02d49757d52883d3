-- Writes a user's public profile. Counters begin at 0 and are never overwritten:
-- only what they count moves them.
-- KEYS[1]  the user hash
-- ARGV     field, value, field, value, …
-- Returns  nothing

redis.call('HSET', KEYS[1], unpack(ARGV))
for _, counter in ipairs({'followers', 'following', 'posts'}) do
    redis.call('HSETNX', KEYS[1], counter, 0)
end
