-- Who is in all of some sets, and in so many of others? Those in more of them come first.
-- Joins the intersections of each combination of sets: how often somebody is in one says in how
-- many sets they are. Where all sets of a combination are big, only the lowest numbers are looked
-- at, if enough people are among them.
-- KEYS[1]  the lowest numbers; made here if it is missing
-- KEYS[2…] the sets; first those in which everybody has to be
-- ARGV[1]  how many these are
-- ARGV[2]  in how many of the others at least
-- ARGV[3]  how many people at most
-- ARGV[4]  the mark, a member of every set; numbers are higher
-- Returns  for each number of sets, the highest first, the people who are in so many; or nothing if
--          a set is missing

local needed, least, most, mark = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local others = #KEYS - 1 - needed
local LOWEST, AT_ONCE = 4096, 512
-- So many among the lowest numbers are more than pages show.
local ENOUGH = most / 4

local function make_lowest()
    local first = tonumber(mark) + 1
    for start = first, first + LOWEST - 1, AT_ONCE do
        local some = {}
        for number = start, start + AT_ONCE - 1 do
            some[#some + 1] = number
        end
        redis.call('SADD', KEYS[1], unpack(some))
    end
end

-- How much work is the longest intersection?
local smallest, sizes = math.huge, {}
for place = 2, #KEYS do
    local size = redis.call('SCARD', KEYS[place])
    if size == 0 then
        return false
    end
    if place <= needed + 1 then
        smallest = math.min(smallest, size)
    else
        sizes[#sizes + 1] = size
    end
end
table.sort(sizes, function(one, other) return one > other end)
smallest = math.min(smallest, sizes[least])

local chosen, order, times

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

local function find(beside)
    chosen, order, times = beside, {}, {}
    for place = 2, needed + 1 do
        chosen[#chosen + 1] = KEYS[place]
    end
    intersect(needed + 2, least)
    times[mark] = nil
end

if smallest > LOWEST then
    if redis.call('EXISTS', KEYS[1]) == 0 then
        make_lowest()
    end
    find({KEYS[1]})
end
if not order or #order < ENOUGH then
    find({})
end

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
