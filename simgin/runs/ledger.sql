-- The tables of a ledger (simgin/runs/ledger.py).

DROP TABLE IF EXISTS run;
DROP TABLE IF EXISTS blocks;
DROP TABLE IF EXISTS deals;
DROP TABLE IF EXISTS steps;
-- Every row ends with its seal: the digest of its other values.
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL, seal BLOB NOT NULL);
CREATE TABLE blocks (
    cell INTEGER NOT NULL,   -- place of the matchup in the run
    first INTEGER NOT NULL,  -- number of its first batch, whose first unit is first * size
    units INTEGER NOT NULL,  -- of all its batches; the last may be short where a run ends
    worker TEXT NOT NULL,
    sums BLOB NOT NULL,      -- its batch rows, packed
    seal BLOB NOT NULL,
    PRIMARY KEY (cell, first, units)
);
CREATE TABLE deals (
    cell INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    units INTEGER NOT NULL,
    deals BLOB NOT NULL,     -- the recorded deals of the batch, packed
    seal BLOB NOT NULL,
    PRIMARY KEY (cell, batch, units)
);
CREATE TABLE steps (
    name TEXT PRIMARY KEY,   -- of `simgin.runs.runner.Step`
    n INTEGER NOT NULL,      -- its size: deals or matches
    arrays BLOB NOT NULL,    -- its result, as numpy's savez writes arrays
    seal BLOB NOT NULL
);
