-- Records how tasks ended: done, to be tried again, or dead. Only the holder of the newest claim may;
-- a worker that was away longer than its lease changes nothing.
--
-- KEYS     the parts of the queue, in the order of PARTS in store.py
-- ARGV     1  now in milliseconds, or '' for the server's clock
--          2  for how many seconds the result of a finished task is kept
--          then six for each task: id, claim number, ending (done, again, dead),
--          milliseconds until the next try, errors, outcome
-- Returns  the ids whose outcome was refused

local delayed, leases, dead, unique, wake, rate, task_prefix =
    KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[8], KEYS[10]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local keep = ARGV[2]

local endings = {}

function endings.done(task, _, _, errors, outcome)
  redis.call('HSET', task, 'status', 'SUCCESSFUL', 'errors', errors, 'outcome', outcome)
  redis.call('EXPIRE', task, keep)
end

function endings.dead(task, id, _, errors, outcome)
  redis.call('HSET', task, 'status', 'FAILED', 'errors', errors, 'outcome', outcome)
  redis.call('ZADD', dead, now, id)
end

function endings.again(task, id, delay, errors, outcome)
  local unique_key = redis.call('HGET', task, 'unique')
  redis.call('HSET', task, 'status', 'READY', 'errors', errors, 'outcome', outcome)
  redis.call('ZADD', delayed, now + delay, id)
  if unique_key then
    redis.call('HSETNX', unique, unique_key, id)
  end
  if redis.call('ZRANK', delayed, id) == 0 and redis.call('EXISTS', wake) == 0 then
    redis.call('RPUSH', wake, 1)
  end
end

local refused, settled = {}, 0
for at = 3, #ARGV, 6 do
  local id, claim, ending = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local task = task_prefix .. id
  if redis.call('HGET', task, 'claim') == claim and redis.call('ZREM', leases, id) == 1 then
    endings[ending](task, id, tonumber(ARGV[at + 3]), ARGV[at + 4], ARGV[at + 5])
    settled = settled + 1
  else
    refused[#refused + 1] = id
  end
end

-- One counter a minute; the first of a new minute sweeps those older than an hour.
local minute = math.floor(now / 60000)
if settled > 0 and redis.call('HINCRBY', rate, minute, settled) == settled then
  for _, old in ipairs(redis.call('HKEYS', rate)) do
    if tonumber(old) < minute - 60 then
      redis.call('HDEL', rate, old)
    end
  end
end
return refused
