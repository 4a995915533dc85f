"""Breaking things on purpose: what the reliability contract promises, shown by injected faults.

`make torture` runs everything here and prints ``N injected, N survived`` at its end. `make test`
runs the tests marked `quick`, about 90 seconds for all of them together on a quiet machine; naming
this folder, or a file in it, on pytest's command line runs all that is named.

Rules for a test here:

- It is named for the promise, and its docstring ends with the number in docs/reliability.md
  ("B14"). Add a row to the table there.
- Each fault is put in by ``with injecting("what was done"):`` (the fixture `injecting`), which
  counts it, and counts it as survived if the block raises nothing. Put the fault **and** what must
  hold afterwards inside the block. One test may inject many.
- Mark it ``@pytest.mark.quick`` if it belongs to the selection; a parametrised test can mark some
  of its cases with ``pytest.param(..., marks=pytest.mark.quick)``.
- A command is run by `harness.sim`, in a session of its own, with a timeout, and afterwards no
  process of that session may be alive (`harness.nobody_left`, called for you). Never call
  subprocess without a timeout.
- What a run holds is compared by `harness.logical_hash`, which is none of the program's own code;
  `harness.strays` names files that should not be there. Both must be right after every recovery.
- A fault at a step of publishing is put in by `forked.Forge`: one process that has imported all and
  forks for each case, so that a case costs a tenth of a second instead of seconds. `Forge.steps`
  lists the steps that a run takes, so a step that is added later is tested by itself.
- Nothing is asserted about seconds except that something ends at all, or a promise of C4.

The sibling `harness` has the small experiments; keep yours as small as those.
"""
