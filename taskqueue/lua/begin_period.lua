-- Queues a periodic task once in each period, however many workers ask. The clock is the server's, so
-- workers whose clocks differ agree. After an outage of many periods the task is queued once.
-- While the task of an earlier period still waits, none is added.
--
-- KEYS     the parts of the queue, in the order of PARTS in store.py
-- ARGV     1  now in milliseconds, or '' for the server's clock
--          2  the name of the periodic task
--          3  the length of a period in milliseconds
--          4  body, 5 priority
-- Returns  {1 if the task was queued, else 0; milliseconds until the next period}

local ready, unique, wake, sequence, periods, task_prefix =
    KEYS[1], KEYS[5], KEYS[6], KEYS[7], KEYS[9], KEYS[10]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
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
redis.call('ZADD', ready, -priority * 2 ^ 45 + redis.call('INCR', sequence), id)
if redis.call('EXISTS', wake) == 0 then
  redis.call('RPUSH', wake, 1)
end
return {1, rest}
