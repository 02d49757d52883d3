-- Delivers a status to a batch of followers, like timelines/lua/deliver.lua, but to homes of the
-- given structure.
-- KEYS[1]  the followers: zset of their ids
-- ARGV[1]  what the keys of the homes begin with
-- ARGV[2]  id of the status
-- ARGV[3]  structure: a name in `add` below
-- ARGV[4]  cursor: continue after the member with this score; 0 at first
-- ARGV[5]  limit: how many members at most
-- ARGV[6]  cap: how many statuses a home keeps
-- ARGV[7]  slack: how many more are let in before a trim
-- Returns  the cursor, or nil at the end.

local prefix, status, size = ARGV[1], ARGV[2], tonumber(ARGV[5])
local cap, most = tonumber(ARGV[6]), ARGV[6] + ARGV[7]

local add = {}

function add.sorted_set(key)
    local count = redis.call('ZCARD', key)
    if count > 0 then
        redis.call('ZADD', key, status, status)
        if count >= most then
            redis.call('ZREMRANGEBYRANK', key, 0, -(cap + 1))
        end
    end
end

function add.list_newest_first(key)
    if redis.call('LPUSHX', key, status) > most then
        redis.call('LTRIM', key, 0, cap - 1)
    end
end

function add.list_newest_last(key)
    if redis.call('RPUSHX', key, status) > most then
        redis.call('LTRIM', key, -cap, -1)
    end
end

local batch = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[4], '+inf', 'LIMIT', 0, size)
local deliver = add[ARGV[3]]
for place = 1, #batch do
    deliver(prefix .. batch[place])
end
return #batch == size and redis.call('ZSCORE', KEYS[1], batch[#batch]) or nil
