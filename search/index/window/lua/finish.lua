-- A segment is whole: all that SQL had was put in, and all that was written meanwhile.
-- KEYS[1]  the state of the segment
-- Returns  1; 0 if it can't be trusted

--include segment

local it = segment(KEYS[1])
if not it or it.state ~= 'filling' or it.life ~= life() or not has_all_ids(it) then
    return 0
end
redis.call('HSET', it.key, 'state', 'whole')
if not it.is_open then
    give_room_back(it)
end
return 1
