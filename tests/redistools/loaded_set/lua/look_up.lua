-- Looks members up in loaded sets, for the tests of `redistools/loaded_set`.
-- KEYS[1]  a loaded set
-- KEYS[2]  another
-- ARGV     members
-- Returns  {a 1 or 0 for each member, what both sets have in common}

--include redistools/loaded_set

local found = {}
for place, has in ipairs(has_each(KEYS[1], ARGV)) do
    found[place] = has and 1 or 0
end
return {found, shared_members(KEYS[1], KEYS[2])}
