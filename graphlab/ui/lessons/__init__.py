"""The lesson pages: they draw what `graphlab.lessons` holds and keep where the reader is; no mathematics stands here.

pages     the entries of the navigation, and the list of all lessons
page      one lesson, its five beats from top to bottom
questions predicting, why, recall
controls  the settings of an experiment
views     quantities and pictures
stepping  a screen: formulas, viewer, blanks
training  something that learns live
lecture   one beat at a time, for a projector
progress  what this session has answered
"""
