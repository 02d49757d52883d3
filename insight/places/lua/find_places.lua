-- Looks up where addresses are. O(log n) for each.
-- KEYS[1]  blocks of runs: zset, by the upper 53 bits of the position where each begins. A run is
--          its first position, 8 bytes, and its place, 2 bytes
-- ARGV     two for each address: the upper and the lower 32 bits of its position
-- Returns  the number of a place for each, 0 if it is unknown; nothing without blocks

local function is_after(block, run, high, low)
    local its_high, its_low, place = struct.unpack('>I4I4I2', block, 10 * run - 9)
    return its_high > high or (its_high == high and its_low > low), place
end

local function place_in(block, high, low)
    local before, beyond, place = 0, #block / 10 + 1, 0
    while beyond - before > 1 do
        local middle = math.floor((before + beyond) / 2)
        local comes_later, its_place = is_after(block, middle, high, low)
        if comes_later then
            beyond = middle
        else
            before, place = middle, its_place
        end
    end
    return place
end

local places = {}
for at = 1, #ARGV, 2 do
    local high, low = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    local score = high * 2097152 + math.floor(low / 2048)
    local block = redis.call('ZREVRANGEBYSCORE', KEYS[1], score, '-inf', 'LIMIT', 0, 1)[1]
    if not block then
        return nil
    end
    places[#places + 1] = place_in(block, high, low)
end
return places
