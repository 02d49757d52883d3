-- Reads a page of members that are their own scores, such as ids.
-- KEYS[1]  the set
-- ARGV[1]  above: members must be higher
-- ARGV[2]  below: members must be lower; empty: no bound
-- ARGV[3]  limit
-- ARGV[4]  'newest' or 'oldest': from which end of the range to take
-- ARGV[5]  'stale' if this may be a replica, which leaves a set that must be kept alive to its master
-- Returns  {floor, id, id, …} the highest first; below the floor only SQL knows.
--          nil if the set must be loaded first.

--include redistools/loaded_set

if is_unknown_set(KEYS[1]) then
    return false
end
local ids = page_of_set(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4] == 'oldest')
table.insert(ids, 1, floor_of_set(KEYS[1]))
return ids
