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
-- ARGV[2]  events after which this one comes too late, separated by blanks; empty: none
-- ARGV[3]  an event that this one undoes, so that it may happen again; empty: none
-- ARGV[4]  events that are taken out of their logs, the one that knows best what they were about
--          first, separated by blanks; empty: none. Unless this one is an edit, it goes into the same
--          log, and what they were about goes over to it
-- ARGV[5]  2 for the private log, else 1
-- ARGV[6]  channel for everybody
-- ARGV[7]  private channel
-- ARGV[8]  kind
-- ARGV[9]  body
-- ARGV[10] about: what filters look at, sealed; empty: the body says it
-- ARGV[11] how many events are kept in a log
-- ARGV[12] what a position counts from, in ms since 1970
-- ARGV[13] now in ms since 1970; empty: the server's clock
-- ARGV[14] of what can be edited, the version: nothing is published if what would be taken out has
--          the same, or a newer one; empty: the first
-- ARGV[15] of an edit, another name, which moves here from an earlier one; empty: it is no edit
-- ARGV[16] '1': only if something is there to be taken out
-- Returns  the position, or false if there was nothing to publish

--include redistools/clock

local marks = KEYS[3]
local name, too_late_after, undone, erased = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local which, kind, body, about = tonumber(ARGV[5]), ARGV[8], ARGV[9], ARGV[10]
local kept, epoch = tonumber(ARGV[11]), tonumber(ARGV[12])
local version, moving_name, needs_place = ARGV[14], ARGV[15], ARGV[16] == '1'
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

local function before_oldest(log)
    return tonumber(field(redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1], 'before'))
end

-- The entries that are to be taken out, and the number of the log that each is in.
local taken = {}
for gone in string.gmatch(erased, '%S+') do
    local place = redis.call('ZSCORE', marks, gone)
    for number = 1, place and 2 or 0 do
        local id = text(tonumber(place)) .. '-0'
        local entry = redis.call('XRANGE', KEYS[number], id, id)[1]
        taken[#taken + 1] = entry and {entry, number}
    end
end
if needs_place and #taken == 0 then
    return false
end
for _, found in ipairs(taken) do
    if version ~= '' and (tonumber(field(found[1], 'version')) or 0) >= tonumber(version) then
        return false
    end
end

if taken[1] and moving_name == '' then
    about = field(taken[1][1], 'about') ~= '' and field(taken[1][1], 'about') or about
    which = taken[1][2]
end
for _, found in ipairs(taken) do
    redis.call('XDEL', KEYS[found[2]], found[1][1])
end
if undone ~= '' then
    redis.call('ZREM', marks, undone)
end

local log = KEYS[which]
local position = (clock(ARGV[13]) - epoch) * 4096 + 2048
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
if moving_name ~= '' then
    redis.call('ZADD', marks, text(position), moving_name)
end
-- What is in a log keeps its mark, or nobody would find it there to take it out.
local surplus = math.min(
    redis.call('ZCARD', marks) - 2 * kept - SLACK,
    redis.call('ZCOUNT', marks, '-inf', text(floor)))
if surplus > 0 then
    redis.call('ZREMRANGEBYRANK', marks, 0, surplus - 1)
end
redis.call('XADD', log, text(position) .. '-0', 'before', text(before), 'floor', text(floor),
    'kind', kind, 'body', body, 'about', about, 'version', version)
redis.call('PUBLISH', ARGV[5 + which],
    text(before) .. ' ' .. text(position) .. ' ' .. kind .. ' ' .. body .. '\n' .. about)
return text(position)
