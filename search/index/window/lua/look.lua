-- Looks at a segment, to keep it.
-- KEYS[1]  the state of the segment
-- Returns  {its state, its first id, the first id above it or '', the last id that was filled or '', how
--          many posts it has, since when (s)}; {} if nobody trusts it

--include segment

local it = segment(KEYS[1])
if not it or it.life ~= life() or not has_all_ids(it) then
    return {}
end
local function text(number)
    return number and string.format('%.0f', number) or ''
end
return {
    it.state, text(it.first), text(it.below), redis.call('HGET', it.key, 'filled') or '',
    it.ids + it.late, redis.call('HGET', it.key, 'since'),
}
