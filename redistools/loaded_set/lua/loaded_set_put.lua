-- Adds a member to a set that is known, and trims it to its highest.
-- KEYS[1]  the set
-- ARGV[1]  score
-- ARGV[2]  member
-- ARGV[3]  cap: how many to keep
-- ARGV[4]  slack: how many more are let in before a trim
-- Returns  1 if the set is known, else 0.

--include redistools/loaded_set

return put_in_set(KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])) and 1 or 0
