-- Reads which segments the window has.
-- KEYS[1]  the list
-- ARGV[1]  the version that the caller knows, or ''
-- Returns  {the life of the server, the version or '', fields and values if the version is another}

--include redistools/life

local now = life()
local known = redis.call('HMGET', KEYS[1], 'life', 'version')
if known[1] ~= now then
    return {now, ''}
elseif known[2] == ARGV[1] then
    return {now, known[2]}
end
return {now, known[2], unpack(redis.call('HGETALL', KEYS[1]))}
