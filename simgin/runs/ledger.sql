-- The tables of a ledger (simgin/runs/ledger.py).

DROP TABLE IF EXISTS run;
DROP TABLE IF EXISTS blocks;
DROP TABLE IF EXISTS deals;
DROP TABLE IF EXISTS steps;
-- The last value of every row, `seal`, is the checksum of the other values.
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL, seal BLOB NOT NULL);
CREATE TABLE blocks (
    cell INTEGER NOT NULL,   -- index of the matchup in the run
    first INTEGER NOT NULL,  -- index of the first batch; its first unit is first * batch size
    units INTEGER NOT NULL,  -- units in all batches; the last batch of a run can be incomplete
    worker TEXT NOT NULL,
    sums BLOB NOT NULL,      -- packed batch rows
    seal BLOB NOT NULL,
    PRIMARY KEY (cell, first, units)
);
CREATE TABLE deals (
    cell INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    units INTEGER NOT NULL,
    deals BLOB NOT NULL,     -- packed recorded deals of the batch
    seal BLOB NOT NULL,
    PRIMARY KEY (cell, batch, units)
);
CREATE TABLE steps (
    name TEXT PRIMARY KEY,   -- name of the `simgin.runs.runner.ExtraPass`
    n INTEGER NOT NULL,      -- number of deals or matches
    arrays BLOB NOT NULL,    -- result in the format of numpy.savez
    seal BLOB NOT NULL
);
