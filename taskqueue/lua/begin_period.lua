-- Queues a periodic task once in each period, however many workers ask. The clock is the server's, so
-- workers whose clocks differ agree. After an outage of many periods the task is queued once.
-- While the task of an earlier period still waits, none is added.
-- KEYS     the parts of the queue
-- ARGV[1]  now in ms since 1970; empty: the server's clock
-- ARGV[2]  name of the periodic task
-- ARGV[3]  length of a period in ms
-- ARGV[4]  body
-- ARGV[5]  priority
-- Returns  {1 if the task was queued, else 0; ms until the next period}

--include redistools/clock
--include queue

local now = clock(ARGV[1])
local name, length, body, priority = ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])

local period = math.floor(now / length)
local rest = (period + 1) * length - now
local latest = tonumber(redis.call('HGET', periods, name) or '-1')
if period <= latest then
    return {0, rest}
end
redis.call('HSET', periods, name, period)

local unique_key = 'periodic ' .. name
if redis.call('HEXISTS', unique, unique_key) == 1 then
    return {0, rest}
end
local id = string.format('%s@%d', name, period)
redis.call('HSET', unique, unique_key, id)
redis.call('HSET', task_prefix .. id,
    'status', 'READY', 'body', body, 'priority', priority, 'unique', unique_key, 'since', now)
join_the_line(id, priority)
wake_a_worker()
return {1, rest}
