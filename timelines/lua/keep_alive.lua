-- What is read lives on.

local DAY = 86400

-- Only once a day: a write for each read would cost more than the read.
local function is_due(key, ttl)
    return redis.call('TTL', key) < ttl - DAY
end

-- Gives a key, and others that are read with it, `ttl` more seconds.
local function keep_alive(key, ttl, others)
    if is_due(key, ttl) then
        redis.call('EXPIRE', key, ttl)
        for _, other in ipairs(others) do
            redis.call('EXPIRE', other, ttl)
        end
    end
end
