-- Frees what a segment held, some buckets a call: at most about a hundred keys.
-- KEYS[1]  the state of the segment
-- ARGV[1]  the first bucket
-- ARGV[2]  how many
-- Returns  nothing

--include segment

local it = {prefix = string.sub(KEYS[1], 1, -#'state' - 1)}
local names = {KEYS[1]}
for _, name in ipairs({'ids', 'late', 'gone', 'edited', 'buckets'}) do
    names[#names + 1] = it.prefix .. name
end
for bucket = tonumber(ARGV[1]), ARGV[1] + ARGV[2] - 1 do
    local name = it.prefix .. 'terms:' .. bucket
    local fields = redis.call('HGETALL', name)
    for place = 1, #fields, 2 do
        if fields[place + 1] == '' then
            names[#names + 1] = set_of(it, bucket, fields[place])
        end
    end
    names[#names + 1] = name
end
redis.call('UNLINK', unpack(names))
