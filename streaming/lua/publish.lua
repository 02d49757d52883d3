-- Appends an event to the log and publishes it, once.
-- A position is made like an id (41 bits of ms, 12 of sequence), so it compares with the ids of
-- statuses. Ids begin a millisecond at 0, positions in its middle: none is both.
-- Each event has the position of the one before it, so readers notice when they missed one; that
-- one may have been taken out since. `floor` is the newest position that is no longer kept:
-- nothing after it is missing, apart from what was taken out.
-- KEYS[1]  log: stream, the newest events; an entry's id is its position, `<position>-0`
-- KEYS[2]  marks: zset, names of the newest events, scored by position
-- ARGV[1]  channel
-- ARGV[2]  name of the event: one with the same name is not published again
-- ARGV[3]  an event after which this one comes too late; empty: none
-- ARGV[4]  an event that this one undoes, so that it may happen again; empty: none
-- ARGV[5]  an event that is taken out of the log; unless this one takes its place, what it was about
--          goes over to this one; empty: none
-- ARGV[6]  kind
-- ARGV[7]  body
-- ARGV[8]  about: what filters look at, sealed; empty: the body says it
-- ARGV[9]  how many events are kept
-- ARGV[10] what a position counts from, in ms since 1970
-- ARGV[11] now in ms since 1970; empty: the server's clock
-- ARGV[12] an event whose place this one takes: its mark moves here; empty: none
-- Returns  the position, or false if there was nothing to publish

--include redistools/clock

local log, marks = KEYS[1], KEYS[2]
local channel, name, too_late_after, undone, erased = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local kind, body, about, replaced = ARGV[6], ARGV[7], ARGV[8], ARGV[12]
local kept, epoch = tonumber(ARGV[9]), tonumber(ARGV[10])
-- More marks than events: the newest are known longer than they are kept.
local SLACK = 1000

if redis.call('ZSCORE', marks, name) then
    return false
end
if too_late_after ~= '' and redis.call('ZSCORE', marks, too_late_after) then
    return false
end

local function text(number)
    return string.format('%.0f', number)
end

local function position_of(entry)
    return tonumber(string.match(entry[1], '^%d+'))
end

local function field(entry, wanted)
    for place = 1, #entry[2], 2 do
        if entry[2][place] == wanted then
            return entry[2][place + 1]
        end
    end
    return ''
end

local function before_oldest()
    return tonumber(field(redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1], 'before'))
end

local position = (clock(ARGV[11]) - epoch) * 4096 + 2048
-- The newest is never one that was taken out: something is appended whenever that happens.
local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
-- Of an empty log nobody knows what was in it before.
local before, floor = position - 1, position - 1
if newest then
    before = position_of(newest)
    position = math.max(position, before + 1)
    floor = tonumber(field(newest, 'floor')) or before_oldest()
end

local place = erased ~= '' and redis.call('ZSCORE', marks, erased)
if place then
    local id = text(tonumber(place)) .. '-0'
    local entry = redis.call('XRANGE', log, id, id)[1]
    if entry and field(entry, 'about') ~= '' and replaced == '' then
        about = field(entry, 'about')
    end
    redis.call('XDEL', log, id)
end
if undone ~= '' then
    redis.call('ZREM', marks, undone)
end
if newest and redis.call('XTRIM', log, 'MAXLEN', '~', kept) > 0 then
    floor = before_oldest()
end
redis.call('ZADD', marks, text(position), name)
if replaced ~= '' then
    redis.call('ZADD', marks, text(position), replaced)
end
-- What is in the log keeps its mark, or nobody would find it there to take it out.
local surplus = math.min(
    redis.call('ZCARD', marks) - kept - SLACK,
    redis.call('ZCOUNT', marks, '-inf', text(floor)))
if surplus > 0 then
    redis.call('ZREMRANGEBYRANK', marks, 0, surplus - 1)
end
redis.call('XADD', log, text(position) .. '-0', 'before', text(before), 'floor', text(floor),
    'kind', kind, 'body', body, 'about', about)
redis.call('PUBLISH', channel,
    text(before) .. ' ' .. text(position) .. ' ' .. kind .. ' ' .. body .. '\n' .. about)
return text(position)
