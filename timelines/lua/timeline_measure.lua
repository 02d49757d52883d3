-- How far down a timeline reaches.
-- KEYS[1]  the timeline
-- Returns  {length, lowest id, 1 if nothing is older in SQL else 0}, or nothing if it is unknown.

--include timeline

return extent_of(KEYS[1])
