-- An audience is a loaded set of follower ids or list ids, scored by when they joined. It is
-- walked some members at a time; the cursor is the score of the last one.

--include redistools/loaded_set

-- Only asks for the last score: writing out each would cost a tenth of a delivery.
local function progress(key, cursor, members, size)
    if #members < size then
        return {'done', cursor, #members}
    end
    return {'more', redis.call('ZSCORE', key, members[size]), size}
end
