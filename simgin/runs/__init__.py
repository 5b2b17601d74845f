"""Planning, execution and storage of runs, with plans, blocks, ledgers and manifests."""
