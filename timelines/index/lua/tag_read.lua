-- Reads a page of ids from a copy of a tag.
-- KEYS[1]  the copy: a loaded set of status ids, scored by themselves
-- ARGV[1]  above: ids must be higher
-- ARGV[2]  below: ids must be lower; empty: no bound
-- ARGV[3]  limit
-- ARGV[4]  'newest' or 'oldest': from which end of the range to take
-- ARGV[5]  seconds that a copy lives after it was read
-- Returns  {floor, id, id, …} the newest first; below the floor only SQL knows.
--          nil if the copy must be loaded first.

--include redistools/loaded_set
--include timelines/keep_alive

if is_unknown_set(KEYS[1]) then
    return false
end
keep_alive(KEYS[1], tonumber(ARGV[5]), {})
local ids = page_of_set(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4] == 'oldest')
table.insert(ids, 1, floor_of_set(KEYS[1]))
return ids
