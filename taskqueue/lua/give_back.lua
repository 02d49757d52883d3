-- Puts tasks that a worker claimed but did not finish back to their old place, as if never claimed.
--
-- KEYS     the parts of the queue, in the order of PARTS in store.py
-- ARGV     two for each task: id, claim number
-- Returns  how many were given back

local ready, leases, unique, wake, task_prefix = KEYS[1], KEYS[3], KEYS[5], KEYS[6], KEYS[10]

local returned = 0
for at = 1, #ARGV, 2 do
  local id, claim = ARGV[at], ARGV[at + 1]
  local task = task_prefix .. id
  if redis.call('HGET', task, 'claim') == claim and redis.call('ZREM', leases, id) == 1 then
    local place, workers, unique_key = unpack(redis.call('HMGET', task, 'place', 'workers', 'unique'))
    local earlier = string.gsub(workers, ' ?[^ ]+$', '')
    redis.call('HSET', task, 'status', 'READY', 'workers', earlier)
    redis.call('ZADD', ready, place, id)
    if unique_key then
      redis.call('HSETNX', unique, unique_key, id)
    end
    returned = returned + 1
  end
end

if returned > 0 and redis.call('EXISTS', wake) == 0 then
  redis.call('RPUSH', wake, 1)
end
return returned
