-- How long the task that has been ready for longest has waited. Looks at the first of each priority:
-- within one the order is that of arrival.
-- KEYS     the parts of the queue
-- ARGV[1]  now in ms since 1970; empty: the server's clock
-- Returns  ms, or -1 if nothing is ready

--include redistools/clock
--include queue

local now = clock(ARGV[1])

local longest, from = -1, '-inf'
while true do
    local id, place = unpack(redis.call('ZRANGEBYSCORE', ready, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1))
    if not id then
        return longest
    end
    local since = redis.call('HGET', task_prefix .. id, 'since')
    longest = math.max(longest, now - (since or now))
    from = (math.floor(place / PRIORITY_STEP) + 1) * PRIORITY_STEP
end
