-- Puts tasks that a worker claimed but did not finish back to their old place, as if never claimed.
-- KEYS     the parts of the queue
-- ARGV     two for each task: id, claim number
-- Returns  how many were given back

--include queue

local returned = 0
for at = 1, #ARGV, 2 do
    local id, claim = ARGV[at], ARGV[at + 1]
    local task = task_prefix .. id
    if redis.call('HGET', task, 'claim') == claim and redis.call('ZREM', leases, id) == 1 then
        return_to_line(id, task)
        returned = returned + 1
    end
end

if returned > 0 then
    wake_a_worker()
end
return returned
