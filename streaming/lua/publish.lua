-- Appends an event to the log and publishes it, once.
-- KEYS[1]  log: stream, the newest events; an entry's id is its position, `<position>-0`
-- KEYS[2]  marks: zset, names of the newest events, scored by position
-- ARGV[1]  channel
-- ARGV[2]  name of the event: one with the same name is not published again
-- ARGV[3]  an event after which this one comes too late; empty: none
-- ARGV[4]  an event that this one undoes, so that it may happen again; empty: none
-- ARGV[5]  kind
-- ARGV[6]  body
-- ARGV[7]  how many events are kept
-- ARGV[8]  what a position counts from, in ms since 1970
-- ARGV[9]  now in ms since 1970; empty: the server's clock
-- Returns  the position, or false if there was nothing to publish
--
-- A position is made like an id (41 bits of ms, 12 of sequence), so it can be compared with the
-- ids of statuses. Each event tells the position of the one before it, so that readers notice
-- when they missed one.

local log, marks = KEYS[1], KEYS[2]
local channel, name, too_late_after, undone = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local kept, epoch, now = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
-- More marks than events: whatever is still in the log has its mark.
local SLACK = 1000

if redis.call('ZSCORE', marks, name) then
    return false
end
if too_late_after ~= '' and redis.call('ZSCORE', marks, too_late_after) then
    return false
end
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local position = (now - epoch) * 4096
local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
-- Of an empty log nobody knows what was in it before.
local before = position - 1
if newest then
    before = tonumber(string.match(newest[1], '^%d+'))
    position = math.max(position, before + 1)
end

local function text(number)
    return string.format('%.0f', number)
end

if undone ~= '' then
    redis.call('ZREM', marks, undone)
end
redis.call('ZADD', marks, text(position), name)
redis.call('ZREMRANGEBYRANK', marks, 0, -(kept + SLACK + 1))
redis.call('XADD', log, 'MAXLEN', '~', kept, text(position) .. '-0',
    'before', text(before), 'kind', ARGV[5], 'body', ARGV[6])
redis.call('PUBLISH', channel,
    text(before) .. ' ' .. text(position) .. ' ' .. ARGV[5] .. ' ' .. ARGV[6])
return text(position)
