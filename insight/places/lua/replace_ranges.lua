-- Puts the ranges that were loaded in the place of those before, at once.
-- KEYS[1]  the version that holds
-- KEYS[2…] pairs: what was loaded, and where it belongs
-- ARGV[1]  the new version
-- Returns  1; 0, with nothing changed, if a part of what was loaded is gone

for at = 2, #KEYS, 2 do
    if redis.call('EXISTS', KEYS[at]) == 0 then
        return 0
    end
end
for at = 2, #KEYS, 2 do
    redis.call('UNLINK', KEYS[at + 1])
    redis.call('RENAME', KEYS[at], KEYS[at + 1])
    redis.call('PERSIST', KEYS[at + 1])
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
