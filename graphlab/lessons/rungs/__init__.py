"""The rungs of the lecture, one lesson a module: rung_4, rung_5b, …"""
