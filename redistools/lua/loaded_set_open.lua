-- Begins the load of a sorted set that is unknown.
-- KEYS[1]  the set
-- Returns  the version that `loaded_set_add` must name, or nil if the set is loaded already.

local FIRST_VERSION = -2 ^ 52 -- below every id, so that ranges of ids never meet the mark

if redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call('ZADD', KEYS[1], string.format('%.0f', FIRST_VERSION), 'building')
end
return redis.call('ZSCORE', KEYS[1], 'building')
