-- Puts tasks into a queue: due ones at the end of their priority, the others to wait for their time.
-- Dropped is a task whose id is known already, or whose unique key a waiting task holds.
--
-- KEYS     the parts of the queue, in the order of PARTS in store.py
-- ARGV     1  now in milliseconds, or '' for the server's clock
--          then five for each task: id, body, priority, due in milliseconds (0 = now), unique key or ''
-- Returns  for each task the id that stands for it: its own, or that of the waiting task

local ready, delayed, unique, wake, sequence, task_prefix =
    KEYS[1], KEYS[2], KEYS[5], KEYS[6], KEYS[7], KEYS[10]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function add_delayed(id, due)
  local first_due = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
  redis.call('ZADD', delayed, due, id)
  -- Sleeping workers have set their alarm for the task that used to be first.
  return not first_due or due < tonumber(first_due)
end

local function add_ready(id, priority)
  redis.call('ZADD', ready, -priority * 2 ^ 45 + redis.call('INCR', sequence), id)
  return true
end

local rouse = false
local standing = {}

for at = 2, #ARGV, 5 do
  local id, body, priority = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local due, unique_key = tonumber(ARGV[at + 3]), ARGV[at + 4]
  local task = task_prefix .. id
  local holder = unique_key ~= '' and redis.call('HGET', unique, unique_key)

  standing[#standing + 1] = holder or id
  if not holder and redis.call('EXISTS', task) == 0 then
    redis.call('HSET', task, 'status', 'READY', 'body', body, 'priority', priority, 'since', now)
    if unique_key ~= '' then
      redis.call('HSET', task, 'unique', unique_key)
      redis.call('HSET', unique, unique_key, id)
    end
    if due > now then
      rouse = add_delayed(id, due) or rouse
    else
      rouse = add_ready(id, priority)
    end
  end
end

if rouse and redis.call('EXISTS', wake) == 0 then
  redis.call('RPUSH', wake, 1)
end
return standing
