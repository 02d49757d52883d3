-- Ends the build of a timeline, if nothing was taken out of it since its statuses were read.
-- KEYS[1]  the timeline
-- ARGV[1]  version, from `timeline_open`
-- ARGV[2]  1 if the statuses are all there are, else 0
-- ARGV[3]  cap: how many to keep
-- ARGV[4…] ids of the statuses, the newest first
-- Returns  1, or 0 if the build must start over.

--include timeline

local key, cap = KEYS[1], tonumber(ARGV[3])
if not is_building(key) or text(mark_of(key)) ~= ARGV[1] then
    return 0
end
local statuses = {unpack(ARGV, 4)}
rewrite(key, merged(ids_of(key), statuses), ARGV[2] == '1' and 0 or nil, cap)
return 1
