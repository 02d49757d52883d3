-- Notes where a member was last, or forgets it. A chunk has its full length from the beginning:
-- Redis reserves up to twice as much for a string that grows.
-- KEYS[1]  the chunk: string, two bytes for each member
-- ARGV[1]  where the member's bytes are
-- ARGV[2]  the number of the place; 0 forgets it
-- ARGV[3]  the length of a chunk, in bytes
-- Returns  nothing

if redis.call('EXISTS', KEYS[1]) == 0 then
    if ARGV[2] == '0' then
        return
    end
    redis.call('SETRANGE', KEYS[1], ARGV[3] - 1, '\0')
end
redis.call('SETRANGE', KEYS[1], ARGV[1], struct.pack('>I2', tonumber(ARGV[2])))
