-- Appends an event to a log and publishes it, once.
-- There are two logs, one for everybody and a private one, which share their positions and marks.
-- A position is made like an id (41 bits of ms, 12 of sequence), so it compares with the ids of
-- statuses. Ids begin a millisecond at 0, positions in its middle: none is both.
-- Each event has the position of the one before it in its log, so readers notice when they missed
-- one; that one may have been taken out since. `floor` is the newest position that is no longer
-- kept: nothing after it is missing, apart from what was taken out.
-- KEYS[1]  log for everybody: stream, the newest events; an entry's id is its position, `<position>-0`
-- KEYS[2]  private log: the same
-- KEYS[3]  marks: zset, names of the newest events, scored by position
-- ARGV[1]  name of the event: one with the same name is not published again
-- ARGV[2]  an event after which this one comes too late; empty: none
-- ARGV[3]  an event that this one undoes, so that it may happen again; empty: none
-- ARGV[4]  an event that is taken out of its log; empty: none
-- ARGV[5]  1 if this one takes the place of the one taken out: its mark moves here. Else it follows
--          into the same log, and says what that one was about.
-- ARGV[6]  2 for the private log, else 1
-- ARGV[7]  channel for everybody
-- ARGV[8]  private channel
-- ARGV[9]  kind
-- ARGV[10] body
-- ARGV[11] about: what filters look at, sealed; empty: the body says it
-- ARGV[12] how many events are kept in a log
-- ARGV[13] what a position counts from, in ms since 1970
-- ARGV[14] now in ms since 1970; empty: the server's clock
-- Returns  the position, or false if there was nothing to publish

--include redistools/clock

local marks = KEYS[3]
local name, too_late_after, undone, erased = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local replaces, which = ARGV[5] == '1', tonumber(ARGV[6])
local kind, body, about = ARGV[9], ARGV[10], ARGV[11]
local kept, epoch = tonumber(ARGV[12]), tonumber(ARGV[13])
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

local function before_oldest(log)
    return tonumber(field(redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1], 'before'))
end

local place = erased ~= '' and redis.call('ZSCORE', marks, erased)
if place then
    local id = text(tonumber(place)) .. '-0'
    for number = 1, 2 do
        local entry = redis.call('XRANGE', KEYS[number], id, id)[1]
        if entry and not replaces then
            which = number
            about = field(entry, 'about') ~= '' and field(entry, 'about') or about
        end
        redis.call('XDEL', KEYS[number], id)
    end
end
if undone ~= '' then
    redis.call('ZREM', marks, undone)
end

local log = KEYS[which]
local position = (clock(ARGV[14]) - epoch) * 4096 + 2048
local highest = redis.call('ZREVRANGE', marks, 0, 0, 'WITHSCORES')[2]
if highest then
    position = math.max(position, tonumber(highest) + 1)
end
local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
local before, floor
if newest then
    before = position_of(newest)
    floor = tonumber(field(newest, 'floor')) or before_oldest(log)
else
    -- Without marks, nobody knows what was in the log before; with them, nothing since the oldest.
    local oldest = redis.call('ZRANGE', marks, 0, 0, 'WITHSCORES')[2]
    before = (tonumber(oldest) or position) - 1
    floor = before
end
if newest and redis.call('XTRIM', log, 'MAXLEN', '~', kept) > 0 then
    floor = before_oldest(log)
end
redis.call('ZADD', marks, text(position), name)
if replaces then
    redis.call('ZADD', marks, text(position), erased)
end
-- What is in a log keeps its mark, or nobody would find it there to take it out.
local surplus = math.min(
    redis.call('ZCARD', marks) - 2 * kept - SLACK,
    redis.call('ZCOUNT', marks, '-inf', text(floor)))
if surplus > 0 then
    redis.call('ZREMRANGEBYRANK', marks, 0, surplus - 1)
end
redis.call('XADD', log, text(position) .. '-0', 'before', text(before), 'floor', text(floor),
    'kind', kind, 'body', body, 'about', about)
redis.call('PUBLISH', ARGV[6 + which],
    text(before) .. ' ' .. text(position) .. ' ' .. kind .. ' ' .. body .. '\n' .. about)
return text(position)
