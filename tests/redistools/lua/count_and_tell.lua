-- Counts its calls.
-- KEYS[1]  counter
-- ARGV[1]  who calls
-- Returns  {who calls, the count}

return {ARGV[1], redis.call('INCR', KEYS[1])}
