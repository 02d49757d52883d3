-- Writes or removes both sides of a relation, such as a follow. A side that is unknown stays so:
-- it will be read from SQL, where the relation is or is not.
-- KEYS[1], KEYS[2]  the two sets
-- ARGV[1], ARGV[2]  the member of each
-- ARGV[3]           the score of both; empty: remove them
-- Returns  nothing

--include redistools/loaded_set

for side = 1, 2 do
    if redis.call('EXISTS', KEYS[side]) == 1 then
        if ARGV[3] ~= '' then
            redis.call('ZADD', KEYS[side], ARGV[3], ARGV[side])
        else
            redis.call('ZREM', KEYS[side], ARGV[side])
            restart_load(KEYS[side])
        end
    end
end
