-- Extends the leases of tasks that a worker still holds.
-- KEYS     the parts of the queue
-- ARGV[1]  now in ms since 1970; empty: the server's clock
-- ARGV[2]  lease in ms
-- ARGV[3…] two for each task: id, claim number
-- Returns  the ids that the worker holds no longer

--include redistools/clock
--include queue

local now = clock(ARGV[1])

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
