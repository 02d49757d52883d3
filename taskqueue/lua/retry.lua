-- Takes tasks out of the dead letters and makes them ready, with all their attempts before them.
--
-- KEYS     the parts of the queue, in the order of PARTS in store.py
-- ARGV     1  now in milliseconds, or '' for the server's clock, then the ids
-- Returns  how many were revived

local ready, dead, wake, sequence, task_prefix = KEYS[1], KEYS[4], KEYS[6], KEYS[7], KEYS[10]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local revived = 0
for at = 2, #ARGV do
  local id = ARGV[at]
  local task = task_prefix .. id
  if redis.call('ZREM', dead, id) == 1 then
    local priority = tonumber(redis.call('HGET', task, 'priority') or 0)
    redis.call('HSET', task, 'status', 'READY', 'errors', '[]', 'since', now)
    redis.call('HDEL', task, 'lost', 'outcome')
    redis.call('ZADD', ready, -priority * 2 ^ 45 + redis.call('INCR', sequence), id)
    revived = revived + 1
  end
end

if revived > 0 and redis.call('EXISTS', wake) == 0 then
  redis.call('RPUSH', wake, 1)
end
return revived
