-- Which of some numbers are members of a loaded set?
-- KEYS[1]  the set
-- ARGV     numbers
-- Returns  those that are; nil if the set must be loaded first.

--include redistools/loaded_set

if is_unknown_set(KEYS[1]) then
    return false
end
local found = {}
for place, has in ipairs(has_each(KEYS[1], ARGV)) do
    if has then
        found[#found + 1] = ARGV[place]
    end
end
return found
