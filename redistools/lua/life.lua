-- Which life of the server this is: another one after each start, and after each time it became the master.

local function life()
    return string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
end
