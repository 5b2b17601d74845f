"""From a question to a run directory: plan, blocks, ledger, manifest."""
