-- Writes the names of a status' author into its hash, if there is one.
-- KEYS[1]  the status: hash
-- ARGV[1]  username
-- ARGV[2]  name
-- Returns  nothing

if redis.call('EXISTS', KEYS[1]) == 1 then
    redis.call('HSET', KEYS[1], 'username', ARGV[1], 'name', ARGV[2])
end
