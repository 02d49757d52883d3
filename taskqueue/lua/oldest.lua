-- When the task that has been ready for longest became so. Looks at the first of each priority, because
-- within one priority the order is that of arrival.
--
-- KEYS     the parts of the queue, in the order of PARTS in store.py
-- ARGV     1  now in milliseconds, or '' for the server's clock
-- Returns  for how many milliseconds it has waited, or -1 if nothing is ready

local ready, task_prefix = KEYS[1], KEYS[10]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local longest, from = -1, '-inf'
while true do
  local id, place = unpack(redis.call('ZRANGEBYSCORE', ready, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1))
  if not id then
    return longest
  end
  local since = redis.call('HGET', task_prefix .. id, 'since')
  longest = math.max(longest, now - (since or now))
  from = (math.floor(place / 2 ^ 45) + 1) * 2 ^ 45
end
