-- Begins to build a timeline that is unknown.
-- KEYS[1]  the timeline
-- ARGV[1]  seconds to live
-- ARGV[2]  1: build it even if it is ready, keeping what it has
-- Returns  the version that `timeline_fill` must name, or nil if the timeline is ready.

--include timeline

local key = KEYS[1]
if not is_unknown(key) and ARGV[2] == '0' then
    return false
end
if not is_building(key) then
    begin_build(key)
    redis.call('EXPIRE', key, ARGV[1])
end
return text(mark_of(key))
