-- Records how tasks ended: done, to be tried again, or failed. Only the holder of the newest claim may;
-- a worker that was away for longer than its lease changes nothing. What was done before the server died
-- may be lost, also if the server still knows that it was lent: it goes back, to be done again.
-- KEYS     the parts of the queue
-- ARGV[1]  now in ms since 1970; empty: the server's clock
-- ARGV[2]  how many failed tasks are kept
-- ARGV[3…] eight for each task: id, claim number, ending (done, again, failed), ms until the next try,
--          errors, outcome, how long the result of a task that is done is kept (s), the life of the server
--          that the worker believed in when the task began
-- Returns  first: the life of the server; then the ids whose outcome was refused

--include redistools/clock
--include redistools/life
--include queue

local now = clock(ARGV[1])
local most_failed, life_now = tonumber(ARGV[2]), life()
-- More than one, so that a lower limit takes effect; few, because Redis serves nobody else meanwhile.
local MOST_TRIMMED = 10

local function trim_failed()
    local surplus = math.min(redis.call('ZCARD', failed) - most_failed, MOST_TRIMMED)
    for _, id in ipairs(surplus > 0 and redis.call('ZRANGE', failed, 0, surplus - 1) or {}) do
        redis.call('ZREM', failed, id)
        redis.call('DEL', task_prefix .. id)
    end
end

local endings = {}

function endings.done(task, id, _, errors, outcome, keep, began_in)
    if began_in ~= life_now or redis.call('HDEL', task, 'again') == 1 then
        return_to_line(id, task)
        wake_a_worker()
    elseif keep == 0 then
        redis.call('DEL', task)
    else
        redis.call('HSET', task, 'status', 'SUCCESSFUL', 'errors', errors, 'outcome', outcome)
        redis.call('EXPIRE', task, keep)
    end
end

function endings.failed(task, id, _, errors, outcome)
    redis.call('HSET', task, 'status', 'FAILED', 'errors', errors, 'outcome', outcome)
    redis.call('ZADD', failed, now, id)
    trim_failed()
end

function endings.again(task, id, delay, errors, outcome)
    redis.call('HSET', task, 'status', 'READY', 'errors', errors, 'outcome', outcome)
    redis.call('ZADD', delayed, now + delay, id)
    hold_unique_key(id, redis.call('HGET', task, 'unique'))
    if redis.call('ZRANK', delayed, id) == 0 then
        wake_a_worker()
    end
end

local function count(finished)
    -- One counter a minute; the first of a new minute sweeps those older than an hour.
    local minute = math.floor(now / 60000)
    if redis.call('HINCRBY', rate, minute, finished) == finished then
        for _, old in ipairs(redis.call('HKEYS', rate)) do
            if tonumber(old) < minute - 60 then
                redis.call('HDEL', rate, old)
            end
        end
    end
end

local refused, finished = {life_now}, 0
for at = 3, #ARGV, 8 do
    local id, claim, ending = ARGV[at], ARGV[at + 1], ARGV[at + 2]
    local task = task_prefix .. id
    if redis.call('HGET', task, 'claim') == claim and redis.call('ZREM', leases, id) == 1 then
        endings[ending](task, id, tonumber(ARGV[at + 3]), ARGV[at + 4], ARGV[at + 5],
            tonumber(ARGV[at + 6]), ARGV[at + 7])
        finished = finished + 1
    else
        refused[#refused + 1] = id
    end
end

if finished > 0 then
    count(finished)
end
return refused
