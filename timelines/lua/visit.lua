-- Does something cheap to the timelines of a batch of an audience, inside their partition.
-- KEYS[1]  the audience: a loaded set of follower ids or list ids, scored by when they joined
-- ARGV[1]  what the keys of the timelines begin with
-- ARGV[2]  'sweep': take a deleted status out; 'reopen': have them built again when next read
-- ARGV[3]  id of the status to sweep
-- ARGV[4]  cursor: continue after the member with this score; 0 at first
-- ARGV[5]  limit: how many members at most
-- Returns  {'more', cursor, n}, {'done', cursor, n} or {'unknown', key}, as `deliver` does.

--include timeline
--include audience

local prefix, size = ARGV[1], tonumber(ARGV[5])

local actions = {}

function actions.sweep(key)
    redis.call('LREM', key, 1, ARGV[3])
    move_version(key)
end

function actions.reopen(key)
    if is_building(key) then
        move_version(key)
    elseif redis.call('EXISTS', key) == 1 then
        begin_build(key)
    end
end

if is_unknown_set(KEYS[1]) then
    return {'unknown', KEYS[1]}
end
local members = members_after(KEYS[1], ARGV[4], size)
for _, member in ipairs(members) do
    actions[ARGV[2]](prefix .. member)
end
return progress(KEYS[1], ARGV[4], members, size)
