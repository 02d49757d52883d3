-- A board: a sorted set of a fixed size with what is in fashion. A score is the logarithm (base 2) of a
-- sum that halves with each half-life: a weight w at time t adds 2^(t / half-life) * w. So nothing ever
-- has to be rescaled, and it does not matter in which order things are counted.
-- A newcomer to a full board takes the place of the lowest, and its score: starting from nothing, it
-- would be the lowest again and again, and never rise. So a score is too high by at most the sum of
-- everything divided by the size of the board.

local function log2(number)
    return math.log(number) / math.log(2)
end

-- log2(2^one + 2^other): the numbers themselves are far too large.
local function sum_on_board(one, other)
    local high, low = math.max(one, other), math.min(one, other)
    return high + log2(1 + 2 ^ (low - high))
end

-- `forget` is called with the item that has to go.
local function add_to_board(board, item, score, size, forget)
    local held = tonumber(redis.call('ZSCORE', board, item) or nil)
    if not held and redis.call('ZCARD', board) >= size then
        local lowest = redis.call('ZPOPMIN', board)
        forget(lowest[1])
        held = tonumber(lowest[2])
    end
    redis.call('ZADD', board, string.format('%.17g', held and sum_on_board(held, score) or score), item)
end
