-- Takes an author's statuses out of a timeline that has lost the author.
-- KEYS[1]  the timeline
-- KEYS[2]  its sources: a loaded set of author ids
-- ARGV[1]  id of the author
-- ARGV[2…] ids of the statuses; none: only make a build in progress start over
-- Returns  how far it reaches now (extent_of), or nothing if nobody reads it, or it is being built,
--          or the author is a source again: then the statuses belong there. 'unknown' if the sources
--          must be loaded first.

--include timeline
--include audience

local key = KEYS[1]
if redis.call('EXISTS', key) == 0 then
    return false
end
if is_unknown_set(KEYS[2]) then
    return 'unknown'
end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    return false
end
-- A build may have the author's statuses already, down to where nobody knows yet. It reads all
-- others again.
if is_building(key) then
    move_version(key)
    rewrite(key, {}, mark_of(key), 0)
elseif #ARGV > 1 then
    local theirs, kept = {}, {}
    for place = 2, #ARGV do
        theirs[ARGV[place]] = true
    end
    for _, id in ipairs(ids_of(key)) do
        if not theirs[id] then
            kept[#kept + 1] = id
        end
    end
    rewrite(key, kept, mark_of(key), #kept)
end
return extent_of(key)
