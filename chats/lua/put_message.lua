-- Writes a change of one message to the log of its chat, if the log has all changes before it.
-- KEYS[1]  the log
-- ARGV[1]  the chat's version after the change
-- ARGV[2]  id of the message
-- ARGV[3]  the message, sealed
-- ARGV[4]  1 if it is new; 0 if it may be too old for the log
-- ARGV[5]  cap: how many messages to keep
-- ARGV[6]  slack: how many more are let in before a trim
-- ARGV[7]  seconds that the log lives
-- Returns  1 if the log is there and up to date, else 0

local log, version, id, message = KEYS[1], tonumber(ARGV[1]), ARGV[2], ARGV[3]
local cap, slack = tonumber(ARGV[5]), tonumber(ARGV[6])
-- Its version, and whether it has all messages of the chat.
local MARKS = 2

local function ids_in_order()
    local ids = {}
    for _, field in ipairs(redis.call('HKEYS', log)) do
        ids[#ids + 1] = tonumber(field)
    end
    table.sort(ids)
    return ids
end

local function belongs_here()
    if ARGV[4] == '1' or redis.call('HEXISTS', log, id) == 1 then
        return true
    end
    local lowest = ids_in_order()[1]
    return redis.call('HGET', log, 'whole') == '1' or (lowest and tonumber(id) > lowest)
end

local function trim()
    local ids = ids_in_order()
    for place = 1, #ids - cap do
        redis.call('HDEL', log, string.format('%.0f', ids[place]))
    end
    redis.call('HSET', log, 'whole', 0)
end

local held = tonumber(redis.call('HGET', log, 'version') or nil)
if not held then
    return 0
end
if held >= version then
    return 1
end
if held < version - 1 then
    -- A change is missing, or comes later: whoever reads next loads it from SQL.
    redis.call('UNLINK', log)
    return 0
end
redis.call('HSET', log, 'version', version)
if belongs_here() then
    redis.call('HSET', log, id, message)
end
if redis.call('HLEN', log) > cap + slack + MARKS then
    trim()
end
redis.call('EXPIRE', log, ARGV[7])
return 1
