-- Makes failed tasks ready again, with all their attempts before them.
-- KEYS     the parts of the queue
-- ARGV[1]  now in ms since 1970; empty: the server's clock
-- ARGV[2…] ids of the tasks
-- Returns  how many were made ready

--include redistools/clock
--include queue

local now = clock(ARGV[1])

local retried = 0
for at = 2, #ARGV do
    local id = ARGV[at]
    local task = task_prefix .. id
    if redis.call('ZREM', failed, id) == 1 then
        redis.call('HSET', task, 'status', 'READY', 'errors', '[]', 'since', now)
        redis.call('HDEL', task, 'lost', 'outcome')
        join_the_line(id, tonumber(redis.call('HGET', task, 'priority') or 0))
        retried = retried + 1
    end
end

if retried > 0 then
    wake_a_worker()
end
return retried
