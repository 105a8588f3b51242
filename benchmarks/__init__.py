"""graphlab beside its peers, each in a process of its own, taking turns on the same work.

    make bench                every row, into docs/benchmarks.md after `python -m benchmarks.report`
    make bench-quick          the BERT and scalar MLP rows; exit code 1 where a goal is missed

- rows.py       the table: what is compared with what, and the goal of each row
- workloads/    one file per piece of work, with one function per contender that does it
- worker.py     the process of one contender: it checks in with its numbers, then times itself when told to
- measuring.py  two workers taking turns: A B A B …
- judging.py    the arithmetic: ratios of rounds, their spread, and the verdict
- machine.py    what the figures depend on: processor, threads, versions, the kernels of the linear algebra
- report.py     the results as JSON, as a table, and as the page docs/benchmarks.md

Nothing of graphlab is used but what `import graphlab` gives to everybody.
"""
