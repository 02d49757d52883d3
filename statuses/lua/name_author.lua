-- Writes the names and the avatar of a status' author into its hash, if there is one.
-- KEYS[1]  the status: hash
-- ARGV[1]  username
-- ARGV[2]  name
-- ARGV[3]  avatar; empty: none
-- Returns  nothing

if redis.call('EXISTS', KEYS[1]) == 1 then
    redis.call('HSET', KEYS[1], 'username', ARGV[1], 'name', ARGV[2], 'avatar', ARGV[3])
end
