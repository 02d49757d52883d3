-- Delivers a status to one timeline, if it exists and the status has not been deleted.
-- KEYS[1]  the timeline
-- KEYS[2]  the statuses deleted lately, as this partition knows them
-- ARGV[1]  id of the status
-- ARGV[2]  cap: how many statuses a timeline keeps
-- ARGV[3]  slack: how many more are let in before a trim
-- Returns  nothing

--include timeline

if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    add(KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]))
end
