"""Answers queries about an export: argv names its folder of an environment. Reads a query a line, as a JSON string, and
writes its rows a line, as JSON; moments as texts of UTC."""

import datetime
import decimal
import json
import os
import sys

import duckdb


def plain(value):
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, (datetime.date, decimal.Decimal)):
        return str(value)
    return value


os.chdir(sys.argv[1])
db = duckdb.connect()
with open("duckdb.sql") as views:
    db.execute(views.read())
for line in sys.stdin:
    try:
        answer = [[plain(value) for value in row] for row in db.execute(json.loads(line)).fetchall()]
    except duckdb.Error as problem:
        answer = str(problem)
    print(json.dumps(answer), flush=True)
