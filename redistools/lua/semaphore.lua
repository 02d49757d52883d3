-- A fair counting semaphore: the first `limit` tickets of the queue are inside, the others wait.
-- KEYS[1]  tickets: zset, every ticket that waits or is inside, scored by arrival
-- KEYS[2]  leases: zset, the same tickets scored by when they run out, in ms
-- ARGV[1]  action: enter, enter_as_newest, refresh or leave
-- ARGV[2]  ticket
-- ARGV[3]  limit: how many may be inside
-- ARGV[4]  lease in ms of a ticket that is inside
-- ARGV[5]  lease in ms of a ticket that waits: it has to ask again before that
-- ARGV[6]  now in ms since 1970; empty: the server's clock
-- Returns  enter: 1 if the ticket is inside, 0 if it waits
--          enter_as_newest: the tickets that it pushed out, oldest first
--          refresh, leave: 1, or 0 if the ticket was gone

--include clock

local tickets, leases, ticket = KEYS[1], KEYS[2], ARGV[2]
local limit, lease, waiting_lease = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local now = clock(ARGV[6])

local function remove(gone)
    redis.call('ZREM', leases, gone)
    return redis.call('ZREM', tickets, gone)
end

local function join_the_end()
    local last = redis.call('ZREVRANGE', tickets, 0, 0, 'WITHSCORES')
    redis.call('ZADD', tickets, (tonumber(last[2]) or 0) + 1, ticket)
end

-- Both keys live as long as their longest lease: an abandoned semaphore leaves nothing behind.
local function keep_for(milliseconds)
    redis.call('ZADD', leases, now + milliseconds, ticket)
    local longest = tonumber(redis.call('ZREVRANGE', leases, 0, 0, 'WITHSCORES')[2]) - now
    redis.call('PEXPIRE', tickets, longest)
    redis.call('PEXPIRE', leases, longest)
end

local actions = {}

function actions.enter()
    if not redis.call('ZSCORE', tickets, ticket) then
        join_the_end()
    end
    local inside = redis.call('ZRANK', tickets, ticket) < limit
    keep_for(inside and lease or waiting_lease)
    return inside and 1 or 0
end

function actions.enter_as_newest()
    join_the_end()
    keep_for(lease)
    local surplus = redis.call('ZCARD', tickets) - limit
    local pushed_out = surplus > 0 and redis.call('ZRANGE', tickets, 0, surplus - 1) or {}
    for _, gone in ipairs(pushed_out) do
        remove(gone)
    end
    return pushed_out
end

function actions.refresh()
    if not redis.call('ZSCORE', tickets, ticket) then
        return 0
    end
    keep_for(lease)
    return 1
end

function actions.leave()
    return remove(ticket)
end

for _, expired in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
    remove(expired)
end
return actions[ARGV[1]]()
