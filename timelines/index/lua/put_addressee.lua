-- Notes that an author wrote to somebody, unless a newer status did already.
-- KEYS[1]  whom the author writes to: a loaded set, scored by the newest status
-- ARGV[1]  id of the status
-- ARGV[2]  the user
-- ARGV[3]  cap: how many to keep
-- ARGV[4]  slack: how many more are let in before a trim
-- Returns  nothing

--include redistools/loaded_set

local held = redis.call('ZSCORE', KEYS[1], ARGV[2])
if not held or tonumber(held) < tonumber(ARGV[1]) then
    restart_load(KEYS[1])
    put_in_set(KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]))
end
