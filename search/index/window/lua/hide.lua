-- Notes that posts can't be found any more, so that none is read in vain. At most a hundred.
-- KEYS[1]  the state of the segment
-- ARGV     their ids
-- Returns  how many of them the segment has

--include segment

local it, hidden = segment(KEYS[1]), 0
if not it or it.state == 'reserved' or not has_all_ids(it) then
    return 0
end
for _, id in ipairs(ARGV) do
    local number = number_of(it, tonumber(id))
    if number then
        redis.call('SADD', it.prefix .. 'gone', number - SHIFT)
        hidden = hidden + 1
    end
end
if hidden > 0 then
    redis.call('HSET', it.key, 'hidden', 1)
end
return hidden
