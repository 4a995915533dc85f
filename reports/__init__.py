"""Analysis of stored runs: tables, pictures, and the answer to the experiment's question."""
