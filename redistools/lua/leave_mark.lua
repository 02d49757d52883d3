-- Leaves a mark in a partition, unless the server died since the caller last heard of it.
-- KEYS[1]  the mark
-- ARGV[1]  the life of the server that the caller believes in, or `any`
-- ARGV[2]  what to leave there
-- Returns  the life of the server

--include life

local now = life()
if ARGV[1] == 'any' or ARGV[1] == now then
    redis.call('SET', KEYS[1], ARGV[2])
end
return now
