-- The tags that rise most now, of those that somebody used lately.
-- KEYS[1]  the board: zset, tags by score
-- KEYS[2]  how tags are written: hash
-- ARGV[1]  what the keys of people begin with
-- ARGV[2]  now in ms since 1970; empty: the server's clock
-- ARGV[3]  how many ms are lately
-- ARGV[4]  how many tags
-- Returns  {tag, how it is written, people who used it lately, tag, …} the highest first

--include redistools/clock

local since, limit, answer = clock(ARGV[2]) - tonumber(ARGV[3]), tonumber(ARGV[4]), {}
for _, tag in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, -1)) do
    if #answer >= 3 * limit then
        break
    end
    local people = redis.call('ZCOUNT', ARGV[1] .. tag, '(' .. since, '+inf')
    if people > 0 then
        answer[#answer + 1] = tag
        answer[#answer + 1] = redis.call('HGET', KEYS[2], tag) or tag
        answer[#answer + 1] = people
    end
end
return answer
