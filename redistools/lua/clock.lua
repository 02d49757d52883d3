-- The clock of all scripts: the server's, in ms since 1970, or the time that a test passes instead.

local function clock(given)
    local now = tonumber(given)
    if not now then
        local time = redis.call('TIME')
        now = time[1] * 1000 + math.floor(time[2] / 1000)
    end
    return now
end
