-- Which of some statuses are in each of a user's own sets?
-- KEYS     loaded sets of status ids
-- ARGV     ids of statuses
-- Returns  {'ok', marks, marks, …}, for each set a 1 or 0 for each status, after a 1 if the set is
--          whole: where it is not, a 0 says nothing.
--          {'unknown', key} if that one must be loaded first.

--include redistools/loaded_set

local answer = {'ok'}
for _, key in ipairs(KEYS) do
    if is_unknown_set(key) then
        return {'unknown', key}
    end
    local marks = {is_whole_set(key) and '1' or '0'}
    for place, has in ipairs(has_each(key, ARGV)) do
        marks[place + 1] = has and '1' or '0'
    end
    answer[#answer + 1] = table.concat(marks)
end
return answer
