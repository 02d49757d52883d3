-- Asks a server which life it is in.
-- KEYS[1]  any key that the server has, or would have
-- Returns  a word

--include life

return life()
