-- Says what time it is, by a function of another app.
-- ARGV[1]  now in ms since 1970; empty: the server's clock
-- Returns  the time in ms

--include redistools/clock

return string.format('%.0f', clock(ARGV[1]))
