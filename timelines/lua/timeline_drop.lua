-- Takes statuses out of a timeline.
-- KEYS[1]  the timeline
-- ARGV     ids of the statuses
-- Returns  nothing

--include timeline

for _, id in ipairs(ARGV) do
    redis.call('LREM', KEYS[1], 1, id)
end
move_version(KEYS[1])
