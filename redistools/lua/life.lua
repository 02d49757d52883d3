-- Which life of the server this is: another one after each start, and after each time it became the master.

local function life()
    local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    local history = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
    return string.sub(run, 1, 16) .. string.sub(history, 1, 16)
end
