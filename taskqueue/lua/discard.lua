-- Removes tasks from the dead letters for good.
--
-- KEYS     the parts of the queue, in the order of PARTS in store.py
-- ARGV     the ids
-- Returns  how many were removed

local dead, task_prefix = KEYS[4], KEYS[10]

local removed = 0
for _, id in ipairs(ARGV) do
  if redis.call('ZREM', dead, id) == 1 then
    redis.call('DEL', task_prefix .. id)
    removed = removed + 1
  end
end
return removed
