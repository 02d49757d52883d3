-- Merges an author's newest statuses into a timeline that has just gained the author.
-- KEYS[1]  the timeline
-- KEYS[2]  its sources: a loaded set of author ids
-- KEYS[3]  the statuses deleted lately, as this partition knows them
-- ARGV[1]  id of the author
-- ARGV[2]  the lowest of the statuses if the author has older ones, else 0
-- ARGV[3]  cap: how many statuses a timeline keeps
-- ARGV[4…] ids of the statuses, the newest first
-- Returns  how far it reaches now (extent_of), or nothing if nobody reads it, or the author is
--          gone again.

--include timeline

local key, lowest, cap = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('EXISTS', key) == 0 or not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    return false
end
local alive = {}
for place = 4, #ARGV do
    if not redis.call('ZSCORE', KEYS[3], ARGV[place]) then
        alive[#alive + 1] = ARGV[place]
    end
end
local ids, mark = merged(ids_of(key), alive), mark_of(key)
-- Older statuses of the author are not in it: from here down it is no longer whole, so cut it off.
while lowest > 0 and #ids > 0 and tonumber(ids[#ids]) < lowest do
    table.remove(ids)
end
if lowest > 0 and mark == 0 then
    mark = nil
end
rewrite(key, ids, mark, cap)
return extent_of(key)
