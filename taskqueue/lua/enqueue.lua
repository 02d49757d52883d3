-- Puts tasks into a queue: due ones at the end of their priority, the others to wait until they are.
-- A task whose id is known already, or whose unique key a waiting task holds, is dropped.
-- A repeat is of a task that may be done: one that waits is dropped, and one that runs runs once more.
-- KEYS     the parts of the queue
-- ARGV[1]  now in ms since 1970; empty: the server's clock
-- ARGV[2…] six for each task: id, body, priority, when it is due in ms (0: now), unique key or '', 1 if it
--          is a repeat, else 0
-- Returns  for each task the id that stands for it: its own, or that of the waiting task

--include redistools/clock
--include queue

local now = clock(ARGV[1])

local function add_delayed(id, due)
    local first_due = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
    redis.call('ZADD', delayed, due, id)
    -- Sleeping workers have set their alarm for the task that used to be first.
    return not first_due or due < tonumber(first_due)
end

-- Does it take its place in the queue? What failed stays for somebody to look at.
local function is_welcome(task, is_repeat)
    local status = redis.call('HGET', task, 'status')
    if is_repeat and status == 'RUNNING' then
        redis.call('HSET', task, 'again', 1)
    elseif is_repeat and status == 'SUCCESSFUL' then
        redis.call('DEL', task)
        return true
    end
    return not status
end

local rouse = false
local standing = {}

for at = 2, #ARGV, 6 do
    local id, body, priority = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
    local due, unique_key = tonumber(ARGV[at + 3]), ARGV[at + 4]
    local task = task_prefix .. id
    local holder = unique_key ~= '' and redis.call('HGET', unique, unique_key)

    standing[#standing + 1] = holder or id
    if not holder and is_welcome(task, ARGV[at + 5] == '1') then
        redis.call('HSET', task, 'status', 'READY', 'body', body, 'priority', priority, 'since', now)
        if unique_key ~= '' then
            redis.call('HSET', task, 'unique', unique_key)
            redis.call('HSET', unique, unique_key, id)
        end
        if due > now then
            rouse = add_delayed(id, due) or rouse
        else
            join_the_line(id, priority)
            rouse = true
        end
    end
end

if rouse then
    wake_a_worker()
end
return standing
