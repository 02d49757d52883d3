-- Reads a page of members that are their own scores, such as ids.
-- KEYS[1]  the set
-- ARGV[1]  above: members must be higher
-- ARGV[2]  below: members must be lower; empty: no bound
-- ARGV[3]  limit
-- ARGV[4]  'newest' or 'oldest': from which end of the range to take
-- Returns  {floor, id, id, …} the highest first; below the floor only SQL knows.
--          nil if the set must be loaded first.

local key, above, below = KEYS[1], '(' .. ARGV[1], ARGV[2] == '' and '+inf' or '(' .. ARGV[2]
if redis.call('ZCARD', key) == 0 or redis.call('ZSCORE', key, 'building') then
    return false
end
local floor = redis.call('ZSCORE', key, '0') and '0' or redis.call('ZRANGE', key, 0, 0)[1]
local answer = {floor}
if ARGV[4] == 'newest' then
    for _, id in ipairs(redis.call('ZREVRANGEBYSCORE', key, below, above, 'LIMIT', 0, ARGV[3])) do
        answer[#answer + 1] = id
    end
else
    local ids = redis.call('ZRANGEBYSCORE', key, above, below, 'LIMIT', 0, ARGV[3])
    for place = #ids, 1, -1 do
        answer[#answer + 1] = ids[place]
    end
end
return answer
