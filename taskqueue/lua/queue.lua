-- What all scripts of a queue share: the names of its parts, its places in line, its wake-up.
-- KEYS  the parts of the queue, in the order of PARTS in store.py, then what task keys begin with

local ready, delayed, leases, failed, unique, wake, sequence, rate, periods, task_prefix = unpack(KEYS)
-- A place in `ready` is a priority times this, the highest first, plus the number of the arrival.
local PRIORITY_STEP = 2 ^ 45

local function join_the_line(id, priority)
    local place = -priority * PRIORITY_STEP + redis.call('INCR', sequence)
    redis.call('ZADD', ready, place, id)
end

local function wake_a_worker()
    if redis.call('EXISTS', wake) == 0 then
        redis.call('RPUSH', wake, 1)
    end
end

-- For a task that waits again after it ran: another with its key may have come meanwhile.
local function hold_unique_key(id, unique_key)
    if unique_key then
        redis.call('HSETNX', unique, unique_key, id)
    end
end

-- Puts a task that was lent back to its old place, as if it had never been.
local function return_to_line(id, task)
    local place, workers, unique_key = unpack(redis.call('HMGET', task, 'place', 'workers', 'unique'))
    local earlier = string.gsub(workers, ' ?[^ ]+$', '')
    redis.call('HSET', task, 'status', 'READY', 'workers', earlier)
    redis.call('ZADD', ready, place, id)
    hold_unique_key(id, unique_key)
end
