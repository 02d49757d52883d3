-- Puts a notification where it belongs now: news move it up, and what is taken back moves it down.
-- KEYS[1]  the recipient's set
-- ARGV[1]  position
-- ARGV[2]  id
-- ARGV[3]  cap: how many to keep
-- ARGV[4]  slack: how many more are let in before a trim
-- Returns  1 if the set is known, else 0.

--include redistools/loaded_set

local key, position, id = KEYS[1], ARGV[1], ARGV[2]
-- A load may have read the position that it had before.
restart_load(key)
local held = redis.call('ZSCORE', key, id)
if held and tonumber(held) > tonumber(position) then
    -- It may belong below the lowest of a trimmed set, where only SQL knows.
    redis.call('ZREM', key, id)
end
return put_in_set(key, position, id, tonumber(ARGV[3]), tonumber(ARGV[4])) and 1 or 0
