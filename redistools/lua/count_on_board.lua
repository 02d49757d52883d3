-- Counts something on a board, for nobody in particular.
-- KEYS[1]  the board
-- ARGV[1]  how many items it holds
-- ARGV[2]  for how many seconds it is kept once nothing is counted
-- ARGV[3…] item, score, item, score …: each score is that of this count alone
-- Returns  nothing

--include board

local function forget() end

for at = 3, #ARGV, 2 do
    add_to_board(KEYS[1], ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[1]), forget)
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
