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
-- ARGV[3]  events after which this one comes too late, separated by blanks; empty: none
-- ARGV[4]  an event that this one undoes, so that it may happen again; empty: none
-- ARGV[5]  events that are taken out of the log, the one that knows best what they were about first,
--          separated by blanks; empty: none. Unless this one is an edit, that goes over to it
-- ARGV[6]  kind
-- ARGV[7]  body
-- ARGV[8]  about: what filters look at, sealed; empty: the body says it
-- ARGV[9]  how many events are kept
-- ARGV[10] what a position counts from, in ms since 1970
-- ARGV[11] now in ms since 1970; empty: the server's clock
-- ARGV[12] of what can be edited, the version: nothing is published if what would be taken out has
--          the same, or a newer one; empty: the first
-- ARGV[13] another name of this event, which moves here from an earlier one; empty: none
-- ARGV[14] '1': only if something is there to be taken out
-- Returns  the position, or false if there was nothing to publish

--include redistools/clock

local log, marks = KEYS[1], KEYS[2]
local channel, name, too_late_after, undone, erased = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local kind, body, about = ARGV[6], ARGV[7], ARGV[8]
local kept, epoch = tonumber(ARGV[9]), tonumber(ARGV[10])
local version, moving_name, needs_place = ARGV[12], ARGV[13], ARGV[14] == '1'
-- More marks than events: the newest are known longer than they are kept.
local SLACK = 1000

if redis.call('ZSCORE', marks, name) then
    return false
end
for later in string.gmatch(too_late_after, '%S+') do
    if redis.call('ZSCORE', marks, later) then
        return false
    end
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

-- The entries that are to be taken out.
local taken = {}
for gone in string.gmatch(erased, '%S+') do
    local place = redis.call('ZSCORE', marks, gone)
    if place then
        local id = text(tonumber(place)) .. '-0'
        taken[#taken + 1] = redis.call('XRANGE', log, id, id)[1]
    end
end
if needs_place and #taken == 0 then
    return false
end
for _, entry in ipairs(taken) do
    if version ~= '' and (tonumber(field(entry, 'version')) or 0) >= tonumber(version) then
        return false
    end
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

if taken[1] and moving_name == '' and field(taken[1], 'about') ~= '' then
    about = field(taken[1], 'about')
end
for _, entry in ipairs(taken) do
    redis.call('XDEL', log, entry[1])
end
if undone ~= '' then
    redis.call('ZREM', marks, undone)
end
if newest and redis.call('XTRIM', log, 'MAXLEN', '~', kept) > 0 then
    floor = before_oldest()
end
redis.call('ZADD', marks, text(position), name)
if moving_name ~= '' then
    redis.call('ZADD', marks, text(position), moving_name)
end
-- What is in the log keeps its mark, or nobody would find it there to take it out.
local surplus = math.min(
    redis.call('ZCARD', marks) - kept - SLACK,
    redis.call('ZCOUNT', marks, '-inf', text(floor)))
if surplus > 0 then
    redis.call('ZREMRANGEBYRANK', marks, 0, surplus - 1)
end
redis.call('XADD', log, text(position) .. '-0', 'before', text(before), 'floor', text(floor),
    'kind', kind, 'body', body, 'about', about, 'version', version)
redis.call('PUBLISH', channel,
    text(before) .. ' ' .. text(position) .. ' ' .. kind .. ' ' .. body .. '\n' .. about)
return text(position)
