"""The pages about BERT: words in context, and who attends to whom.

weights     which model a page uses, and the way to real weights; fetching: that way while the page goes on
contextual  the page about one word in several sentences; charts: its pictures
attention   the page about heads; pictures: the sheet of all and one as a file; component: the sheet and the large map
state       what each page shows, as it stands in the page's link
"""
