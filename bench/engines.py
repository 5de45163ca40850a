"""Asks DuckDB and ClickHouse (chdb) the questions of engines.go: reads {folder, home, threads, runs, questions} from
standard input, where folder holds what `svc export --format parquet` wrote, and writes {engine: {load, bytes, answers}}:
seconds, bytes on disk, and of each question its rows and the milliseconds of each run, the first one after a start."""

import json
import os
import sys
import time


class DuckDB:
    def __init__(self, home, threads):
        import duckdb

        self.version = "DuckDB " + duckdb.__version__
        self.path = os.path.join(home, "duckdb")
        self.connect = lambda: duckdb.connect(self.path, config={"threads": threads})
        self.open()

    def open(self):
        self.db = self.connect()

    def close(self):
        self.db.close()

    def load(self, table, files):
        source = f"read_parquet('{files}', hive_partitioning = false)"
        zoned = [name for name, kind, *_ in self.db.execute(f"describe from {source}").fetchall() if "ZONE" in kind]
        utc = ", ".join(f"{name}::timestamp as {name}" for name in zoned)  # zones need an extension
        self.db.execute(f"create table {table} as select * replace ({utc}) from {source}")
        self.db.execute("checkpoint")

    def ask(self, sql):
        return [list(row) for row in self.db.execute(sql).fetchall()]


class ClickHouse:
    def __init__(self, home, threads):
        import chdb

        self.version = "chdb " + chdb.__version__
        self.path, self.threads = os.path.join(home, "clickhouse"), threads
        self.open()

    def open(self):
        from chdb import session

        self.db = session.Session(self.path)
        self.db.query(f"set max_threads = {self.threads}")
        self.db.query("set session_timezone = 'UTC'")

    def close(self):
        self.db.close()

    def load(self, table, files):
        orders = {"events": "(kind, occurred_at)", "sessions": "started_at"}
        self.db.query(
            f"create table {table} engine = MergeTree order by {orders[table]} as select * from file('{files}', Parquet)"
        )
        self.db.query(f"optimize table {table} final")

    def ask(self, sql):
        answer = str(self.db.query(sql, "JSONCompactEachRow"))
        return [json.loads(line) for line in answer.splitlines()]


def size_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(path) for name in names)


def measure(make, asked):
    engine = make(asked["home"], asked["threads"])
    began = time.monotonic()
    for table in ("events", "sessions"):
        engine.load(table, f"{asked['folder']}/environment=live/table={table}/*/{table}.parquet")
    took, answers = time.monotonic() - began, []
    for question in asked["questions"]:
        engine.close()
        engine.open()  # nothing of the question before is in its memory
        times = []
        for _ in range(asked["runs"]):
            began = time.monotonic()
            rows = engine.ask(question)
            times.append(1000 * (time.monotonic() - began))
        answers.append({"rows": rows, "milliseconds": times})
    engine.close()
    return {"version": engine.version, "load": took, "bytes": size_of(engine.path), "answers": answers}


# An engine writes to the standard output by itself.
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
asked = json.load(sys.stdin)
json.dump({make.__name__: measure(make, asked) for make in (DuckDB, ClickHouse)}, answer, default=str)
