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
    local held = redis.call('GET', name) or EMPTY
    local terms = struct.unpack('>I3', held)
    for place = 0, terms - 1 do
        if count_of(held, place, terms) == 0 then
            local digest = string.sub(held, HEAD + DIGEST * place + 1, HEAD + DIGEST * (place + 1))
            names[#names + 1] = it.prefix .. set_of(bucket, digest)
        end
    end
    names[#names + 1] = name
end
redis.call('UNLINK', unpack(names))
