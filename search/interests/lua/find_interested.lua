-- Who is in all of some sets, and in so many of others? Those in more of them come first.
-- Joins the intersections of each combination of sets: how often somebody is in one says in how
-- many sets they are.
-- KEYS     the sets; first those in which everybody has to be
-- ARGV[1]  how many these are
-- ARGV[2]  in how many of the others at least
-- ARGV[3]  how many people at most
-- ARGV[4]  the mark, a member of every set
-- Returns  for each number of sets, the highest first, the people who are in so many; or nothing if
--          a set is missing

local needed, least, most, mark = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local others = #KEYS - needed

for _, key in ipairs(KEYS) do
    if redis.call('EXISTS', key) == 0 then
        return false
    end
end

local chosen, order, times = {}, {}, {}
for place = 1, needed do
    chosen[place] = KEYS[place]
end

local function intersect(first, left)
    if left == 0 then
        for _, person in ipairs(redis.call('SINTER', unpack(chosen))) do
            local before = times[person]
            if not before then
                order[#order + 1] = person
            end
            times[person] = (before or 0) + 1
        end
        return
    end
    for place = first, #KEYS - left + 1 do
        chosen[#chosen + 1] = KEYS[place]
        intersect(place + 1, left - 1)
        chosen[#chosen] = nil
    end
end

intersect(needed + 1, least)
times[mark] = nil

-- Who is in m sets is in this many combinations.
local sets_of, combinations = {}, 1
for sets = least, others do
    sets_of[combinations] = sets
    combinations = combinations * (sets + 1) / (sets + 1 - least)
end

local found = {}
for place = 1, others - least + 1 do
    found[place] = {}
end
for _, person in ipairs(order) do
    if times[person] then
        local some = found[others - sets_of[times[person]] + 1]
        if #some < most then
            some[#some + 1] = person
        end
    end
end
for place, some in ipairs(found) do
    most = most - #some
    if most < 0 then
        found[place] = {unpack(some, 1, #some + most)}
        most = 0
    end
end
return found
