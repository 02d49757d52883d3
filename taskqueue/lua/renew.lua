-- Extends the leases of tasks that a worker still holds.
--
-- KEYS     the parts of the queue, in the order of PARTS in store.py
-- ARGV     1  now in milliseconds, or '' for the server's clock
--          2  the lease in milliseconds
--          then two for each task: id, claim number
-- Returns  the ids that the worker holds no longer

local leases, task_prefix = KEYS[3], KEYS[10]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local lost = {}
for at = 3, #ARGV, 2 do
  local id, claim = ARGV[at], ARGV[at + 1]
  if redis.call('HGET', task_prefix .. id, 'claim') == claim and redis.call('ZSCORE', leases, id) then
    redis.call('ZADD', leases, 'XX', now + ARGV[2], id)
  else
    lost[#lost + 1] = id
  end
end
return lost
