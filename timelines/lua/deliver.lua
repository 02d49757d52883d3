-- Delivers a status to a batch of an audience, inside their partition.
-- KEYS[1]  the audience: a loaded set of follower ids or list ids, scored by when they joined
-- KEYS[2]  the statuses deleted lately, as this partition knows them
-- KEYS[3]  the pulled authors, as this partition knows them: a loaded set
-- KEYS[4]  the author's newest statuses for readers here, if the author is pulled: a loaded set
-- ARGV[1]  what the keys of the timelines begin with
-- ARGV[2]  id of the status
-- ARGV[3]  id of the author; empty: deliver also where the author is pulled
-- ARGV[4]  cursor: continue after the member with this score; 0 at first
-- ARGV[5]  limit: how many members at most
-- ARGV[6]  cap: how many statuses a timeline keeps
-- ARGV[7]  slack: how many more are let in before a trim
-- Returns  {'more', cursor, n} if members are left, {'done', cursor, n} if not: n were looked at.
--          {'unknown', key} if that set must be loaded first.
--          {'stopped'} if the status is deleted: nothing will be delivered any more.

--include timeline
--include audience

local prefix, status, author = ARGV[1], ARGV[2], ARGV[3]
local size, cap, slack = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])

if redis.call('ZSCORE', KEYS[2], status) then
    return {'stopped'}
end
if author ~= '' then
    if is_unknown_set(KEYS[3]) then
        return {'unknown', KEYS[3]}
    end
    -- While it exists, a pulled author's copy takes every status, even during a change of mode.
    local has_copy = put_in_set(KEYS[4], status, status, cap, slack)
    local mode = redis.call('ZSCORE', KEYS[3], author)
    if mode and not has_copy then
        return {'unknown', KEYS[4]}
    end
    -- Mode 1 is pull alone. Mode 2 is both: the author is just changing over.
    if mode == '1' then
        return {'done', ARGV[4], 0}
    end
end
if is_unknown_set(KEYS[1]) then
    return {'unknown', KEYS[1]}
end

local members = members_after(KEYS[1], ARGV[4], size)
for _, member in ipairs(members) do
    add(prefix .. member, status, cap, slack)
end
return progress(KEYS[1], ARGV[4], members, size)
