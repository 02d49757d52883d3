-- Makes the next time-ordered id: higher than every id before it, whatever the clock says.
-- Numbers are doubles: exact up to 2^53, and only '%.0f' writes them out in full.
-- KEYS[1]  the sequence: the last id that it gave out
-- ARGV[1]  floor: the highest id that the caller knows of
-- ARGV[2]  1 if the caller asked SQL for that floor just now, else 0
-- ARGV[3]  the epoch of the ids, in ms since 1970
-- ARGV[4]  now in ms since 1970; empty: the server's clock
-- Returns  the id as text, or nil if the sequence is lost and the floor is not from SQL.

--include clock

local LAST_ID = 2 ^ 53 - 1

local last = tonumber(redis.call('GET', KEYS[1]))
if not last and ARGV[2] == '0' then
    return false
end

local by_clock = (clock(ARGV[4]) - tonumber(ARGV[3])) * 4096
local id = math.max(by_clock, (last or 0) + 1, tonumber(ARGV[1]) + 1)
if id > LAST_ID then
    return redis.error_reply('ERR the ids of ' .. KEYS[1] .. ' are used up: 53 bits are full')
end

local text = string.format('%.0f', id)
redis.call('SET', KEYS[1], text)
return text
