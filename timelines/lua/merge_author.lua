-- Merges an author's newest statuses into a timeline that has just gained the author.
-- KEYS[1]  the timeline
-- KEYS[2]  its sources: a loaded set of author ids
-- KEYS[3]  the statuses deleted lately, as this partition knows them
-- ARGV[1]  id of the author
-- ARGV[2]  the lowest of the statuses if the author has older ones, else 0
-- ARGV[3]  cap: how many statuses a timeline keeps
-- ARGV[4…] ids of the statuses, the newest first
-- Returns  how far it reaches now (extent_of), or nothing if nobody reads it, or it is being built,
--          or the author is gone again. 'unknown' if the sources must be loaded first.

--include timeline
--include audience

local key, lowest, cap = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('EXISTS', key) == 0 then
    return false
end
if is_unknown_set(KEYS[2]) then
    return 'unknown'
end
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    return false
end
-- A build may have read the authors before: then it lacks this one's older statuses.
if is_building(key) then
    move_version(key)
    return false
end
local alive = {}
for place = 4, #ARGV do
    if not redis.call('ZSCORE', KEYS[3], ARGV[place]) then
        alive[#alive + 1] = ARGV[place]
    end
end
-- Below its floor the others' statuses are missing, and below `lowest` the author's: keeping any of
-- them would make it look whole further down than it is, so cut them off.
local floor, ids = math.max(floor_of(key), lowest), merged(ids_of(key), alive)
while #ids > 0 and tonumber(ids[#ids]) < floor do
    table.remove(ids)
end
rewrite(key, ids, floor == 0 and 0 or nil, cap)
return extent_of(key)
