"""The lecture as data: one module per lesson in `rungs`, each with a LESSON. docs/add-a-lesson.md shows how to add one.

lesson        Lesson and its parts: Question, Choice, Experiment, Walk, Screen, Training
controls      what a reader can change: Slider, Switch, Choose, Numbers, Text, Points
findings      what an experiment returns: Findings(quantities, views); Quantity, Table, Lines, Bars, Heat, Plane,
              Formula, Drawing
course        LESSONS by key, in the lecture's order; the route by need
blanks        the numbers that are asked, judged, and met with hints
optimisers    SGD, momentum, Adam as pure functions; `points` reads CSV files; `worksheet` writes the lesson for paper
laboratories  the longer experiments: accumulation, towers of blocks, real checkpoints …

A lesson holds texts, inputs and small functions; every number that it shows is computed by graphlab when it is shown.
So a module of `rungs` has no number in it but 0 and 1 (and −1), an index, and what is clearly an input:

- the arguments of a control, and `values=`, `moving=`, `seed=`, `axis=`, `longest=` of any call;
- a constant at the top of the module whose name ends in VALUES, SEED, GRID, SIZES, STEPS, RATE or POINTS.

A text mentions a result as `[[name]]`, which becomes the quantity `name` of the experiment at its first settings; in
texts decimal numbers stand only in a question and its choices (tests/lessons/test_house.py). What `expect` names is
computed a second time, without graphlab, in tests/lessons/rungs/test_rung_<key>.py.

This room may import all of graphlab below the app, as a user would: `import graphlab as gl`. It knows no Streamlit and
no torch. Nothing here is kept in a session but what controls and states hold: numbers, texts and arrays.

>>> from graphlab.lessons.course import LESSONS
>>> LESSONS["4"].experiment.at_first.quantities["change"].shown
'−0.4'
"""
