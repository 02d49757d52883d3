-- Removes failed tasks for good.
-- KEYS     the parts of the queue
-- ARGV     ids of the tasks
-- Returns  how many were removed

--include queue

local removed = 0
for _, id in ipairs(ARGV) do
    if redis.call('ZREM', failed, id) == 1 then
        redis.call('DEL', task_prefix .. id)
        removed = removed + 1
    end
end
return removed
