-- Lends tasks to a worker for the length of a lease. Before that, tasks whose lease ran out go back
-- to their old place, and delayed tasks that are due go to the end of their priority.
-- A task that was lost with its worker before is lent alone: if it kills again, it kills no neighbour.
-- Nobody gets more than half of what is ready, so that a worker that wakes a moment later finds work too.
-- KEYS     the parts of the queue
-- ARGV[1]  now in ms since 1970; empty: the server's clock
-- ARGV[2]  how many tasks at most
-- ARGV[3]  lease in ms
-- ARGV[4]  id of the worker
-- ARGV[5]  how many expired and how many delayed tasks to move at most
-- ARGV[6]  how long an idle worker sleeps at most, in ms
-- Returns  first: ms until a delayed task or a lease is due, -1 for never, 0 if more is ready; the life of the
--          server; then for each task its id, claim number, body, workers, errors, times lost, outcome of
--          the last run.
--          One flat list: older servers send each table in a list by a write of its own.

--include redistools/clock
--include redistools/life
--include queue

local now = clock(ARGV[1])
local most, lease, worker, bound, nap =
    tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])

local function take_back_expired()
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now, 'LIMIT', 0, bound)) do
        local task = task_prefix .. id
        local place, unique_key = unpack(redis.call('HMGET', task, 'place', 'unique'))
        redis.call('ZREM', leases, id)
        redis.call('ZADD', ready, place or 0, id)
        redis.call('HINCRBY', task, 'lost', 1)
        redis.call('HSET', task, 'status', 'READY')
        hold_unique_key(id, unique_key)
    end
end

local function promote_due()
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, bound)) do
        local task = task_prefix .. id
        redis.call('ZREM', delayed, id)
        join_the_line(id, tonumber(redis.call('HGET', task, 'priority') or 0))
        redis.call('HSET', task, 'since', now)
    end
end

local reply, lent = {-1, life()}, 0

local function lend(id, place, task)
    local body, workers, errors, unique_key, lost, outcome, claim = unpack(task)
    workers = workers and workers ~= '' and workers .. ' ' .. worker or worker
    claim = tonumber(claim or 0) + 1
    if unique_key and redis.call('HGET', unique, unique_key) == id then
        redis.call('HDEL', unique, unique_key)
    end
    redis.call('ZADD', leases, now + lease, id)
    redis.call('HSET', task_prefix .. id,
        'status', 'RUNNING', 'workers', workers, 'claim', claim, 'place', place, 'claimed', now)
    for _, value in ipairs({id, claim, body, workers, errors or '[]', tonumber(lost or 0), outcome or '{}'}) do
        reply[#reply + 1] = value
    end
    lent = lent + 1
end

take_back_expired()
promote_due()

most = math.min(most, math.max(1, math.ceil(redis.call('ZCARD', ready) / 2)))
while lent < most do
    local id, place = unpack(redis.call('ZPOPMIN', ready))
    if not id then
        break
    end
    local task = redis.call('HMGET', task_prefix .. id,
        'body', 'workers', 'errors', 'unique', 'lost', 'outcome', 'claim')
    local suspect = task[5]
    if suspect and lent > 0 then
        redis.call('ZADD', ready, place, id)
        break
    end
    lend(id, place, task)
    if suspect then
        break
    end
end

local next_due = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
local next_lease = redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')[2]
local next = math.min(tonumber(next_due or math.huge), tonumber(next_lease or math.huge))
local more = redis.call('EXISTS', ready) == 1
if more then
    reply[1] = 0
elseif next < math.huge then
    reply[1] = math.max(0, next - now)
end

-- This worker is busy now: another must see to what is left, or to what comes due before it looks by itself.
local alarm = next_due and tonumber(next_due) < now + nap
if lent > 0 and (more or alarm) then
    wake_a_worker()
end
return reply
