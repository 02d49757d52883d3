-- Notes that the work of outbox rows is done, unless the server died since it began.
-- KEYS[1]  ids of the rows that are done, scored by when (s)
-- ARGV[1]  the life of the server that the caller believed in when the work began
-- ARGV[2]  now in s since 1970, by the caller's clock
-- ARGV[3…] ids of rows
-- Returns  the life of the server; if it is another one, nothing was noted

--include redistools/life

local now = life()
if ARGV[1] ~= now then
    return now
end
-- Lua has no room for all of them at once.
local AT_ONCE = 1000
for first = 3, #ARGV, AT_ONCE do
    local pairs = {}
    for at = first, math.min(first + AT_ONCE - 1, #ARGV) do
        pairs[#pairs + 1] = ARGV[2]
        pairs[#pairs + 1] = ARGV[at]
    end
    redis.call('ZADD', KEYS[1], unpack(pairs))
end
return now
