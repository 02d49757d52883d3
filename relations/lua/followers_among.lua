-- Which of some people follow a user, and what they are called? All live in one partition.
-- KEYS[1]  the user's followers of that partition, a loaded set
-- ARGV[1]  what the keys of the partition's people begin with
-- ARGV[2…] ids
-- Returns  {id, username, name, id, …}, names empty where Redis does not know them; nil if the set
--          must be loaded first.

--include redistools/loaded_set

if is_unknown_set(KEYS[1]) then
    return false
end
local people = ARGV[1]
table.remove(ARGV, 1)
local found = {}
for place, has in ipairs(has_each(KEYS[1], ARGV)) do
    if has then
        local names = redis.call('HMGET', people .. ARGV[place], 'username', 'name')
        found[#found + 1] = ARGV[place]
        found[#found + 1] = names[1] or ''
        found[#found + 1] = names[2] or ''
    end
end
return found
