"""Planning, execution and storage of runs: plan, blocks, ledger and manifest."""
