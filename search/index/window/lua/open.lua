-- Begins a segment of the window. Until it is whole, nobody reads it; whoever writes a post puts it in.
-- KEYS[1]  the state of the segment
-- ARGV[1]  `reserve`: before the one below it is closed; `go_on`: after that, if it is still reserved;
--          `fill`: it is to be filled from SQL
-- ARGV[2]  the first id
-- ARGV[3]  the first id above it, or ''
-- ARGV[4]  how many posts it takes in order
-- ARGV[5]  how many that come late
-- ARGV[6]  now in s since 1970
-- ARGV[7]  for `go_on`: the state of the one below
-- Returns  its state

--include segment

local key, now = KEYS[1], life()
local state = redis.call('HGET', key, 'state')
if state == 'reserved' and ARGV[1] == 'go_on' and redis.call('HGET', key, 'life') == now then
    redis.call('HSET', key, 'state', ARGV[7], 'first', ARGV[2], 'since', ARGV[6])
    return ARGV[7]
elseif state and state ~= 'reserved' or ARGV[1] == 'reserve' and state then
    return state
end
state = ARGV[1] == 'reserve' and 'reserved' or 'filling'
redis.call(
    'HSET', key, 'state', state, 'life', now, 'first', ARGV[2], 'since', ARGV[6], 'room', ARGV[4],
    'spare', ARGV[5], 'ids', 0, 'late', 0, 'edited', 0
)
if ARGV[3] ~= '' then
    redis.call('HSET', key, 'below', ARGV[3])
end
return state
