-- Closes a full segment above its last id: newer posts belong into the next one.
-- KEYS[1]  the state of the segment
-- Returns  {its state, the first id of the next, 1 if it was closed now, else 0}; {} if nobody trusts it,
--          or it has room

--include segment

local it = segment(KEYS[1])
if not it or it.state == 'reserved' or it.life ~= life() or not has_all_ids(it) then
    return {}
elseif it.below then
    return {it.state, string.format('%.0f', it.below), 0}
elseif it.ids < it.room then
    return {}
end
local below = string.format('%.0f', id_at(it, 'ids', it.ids - 1) + 1)
redis.call('HSET', it.key, 'below', below)
give_room_back(it)
return {it.state, below, 1}
