-- Changes the list of segments, if it is still as the caller knows it.
-- KEYS[1]  the list
-- ARGV[1]  the version that the caller knows; '': none, or one of another life of the server
-- ARGV[2]  the new version
-- ARGV[3…] fields and values; an empty value removes the field
-- Returns  1 if it was changed, else 0

--include redistools/life

local now = life()
local known = redis.call('HMGET', KEYS[1], 'life', 'version')
local version = known[1] == now and known[2] or ''
if version ~= ARGV[1] then
    return 0
elseif version == '' then
    -- What another life of the server had is not trusted, but still to be freed.
    local fields = redis.call('HGETALL', KEYS[1])
    redis.call('UNLINK', KEYS[1])
    for place = 1, #fields, 2 do
        local number = tonumber(fields[place])
        if number then
            redis.call('HSET', KEYS[1], -math.abs(number), number < 0 and fields[place + 1] or 0)
        end
    end
end
redis.call('HSET', KEYS[1], 'life', now, 'version', ARGV[2])
for place = 3, #ARGV, 2 do
    if ARGV[place + 1] == '' then
        redis.call('HDEL', KEYS[1], ARGV[place])
    else
        redis.call('HSET', KEYS[1], ARGV[place], ARGV[place + 1])
    end
end
return 1
