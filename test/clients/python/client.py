"""Ordinary use of Python's psycopg2 and psycopg. The argument is the server's URL."""

import datetime
import decimal
import io
import sys

import psycopg
import psycopg2
import psycopg2.extras


def with_psycopg2(url):
    conn = psycopg2.connect(url)
    cur = conn.cursor()
    conn.autocommit = True
    cur.execute("DROP TABLE IF EXISTS py2 CASCADE")
    cur.execute("CREATE TABLE py2 (id int PRIMARY KEY, n numeric(10,2), s text, at timestamptz, ids int[], raw bytea, ok bool)")
    conn.autocommit = False
    at = datetime.datetime(2026, 2, 3, 4, 5, 6, 789000, tzinfo=datetime.timezone.utc)
    cur.execute(
        "INSERT INTO py2 VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING id",
        (1, decimal.Decimal("12.345"), "it's ä", at, [1, 2], b"\x00\xff", True),
    )
    assert cur.fetchone() == (1,)
    conn.commit()
    cur.execute("SELECT * FROM py2")
    row = cur.fetchone()
    assert row[:3] == (1, decimal.Decimal("12.35"), "it's ä"), row
    assert row[3] == at and row[4] == [1, 2] and bytes(row[5]) == b"\x00\xff" and row[6] is True, row
    psycopg2.extras.execute_values(cur, "INSERT INTO py2 (id, s) VALUES %s", [(i, f"row {i}") for i in range(10, 110)])
    assert cur.rowcount == 100, cur.rowcount
    conn.rollback()
    cur.execute("SELECT count(*), sum(id) FROM py2")
    assert cur.fetchone() == (1, 1)
    cur.copy_expert("COPY py2 (id, s) FROM STDIN WITH (FORMAT csv)", io.StringIO("20,twenty\n21,\"twenty, one\"\n"))
    out = io.StringIO()
    cur.copy_expert("COPY (SELECT id, s FROM py2 WHERE id >= 20 ORDER BY id) TO STDOUT", out)
    assert out.getvalue() == "20\ttwenty\n21\ttwenty, one\n", out.getvalue()
    conn.commit()
    try:
        cur.execute("SELECT nothing FROM py2")
        raise AssertionError("no error")
    except psycopg2.errors.UndefinedColumn:
        conn.rollback()
    named = conn.cursor("named")  # DECLARE … FETCH
    named.itersize = 7
    named.execute("SELECT g FROM generate_series(1, 50) g")
    assert [r[0] for r in named] == list(range(1, 51))
    named.close()
    conn.commit()
    conn.close()


def with_psycopg(url):
    with psycopg.connect(url) as conn:
        conn.execute("DROP TABLE IF EXISTS py3 CASCADE")
        conn.commit()
        conn.autocommit = True
        conn.execute("CREATE TABLE py3 (id int PRIMARY KEY, n numeric, s text, at timestamptz, f float8)")
        conn.autocommit = False
        at = datetime.datetime(2026, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc)
        conn.execute("INSERT INTO py3 VALUES (%s, %s, %s, %s, %s)", (1, decimal.Decimal("1.50"), "ä", at, 2.5))
        for binary in (False, True):
            cur = conn.cursor(binary=binary)
            row = cur.execute("SELECT id, n, s, at, f FROM py3 WHERE id = %s", (1,)).fetchone()
            assert row == (1, decimal.Decimal("1.50"), "ä", at, 2.5), row
        conn.commit()
        with conn.cursor() as cur:
            cur.executemany("INSERT INTO py3 (id, s) VALUES (%s, %s)", [(i, str(i)) for i in range(10, 30)])
            with cur.copy("COPY py3 (id, s) FROM STDIN") as copy:
                for i in range(100, 150):
                    copy.write_row((i, f"row {i}"))
            assert cur.execute("SELECT count(*) FROM py3").fetchone() == (71,)
            with cur.copy("COPY (SELECT id FROM py3 WHERE id < 12 ORDER BY id) TO STDOUT") as copy:
                assert [tuple(r) for r in copy.rows()] == [("1",), ("10",), ("11",)]
        conn.rollback()
        try:
            with conn.transaction():
                conn.execute("INSERT INTO py3 (id) VALUES (5)")
                conn.execute("INSERT INTO py3 (id) VALUES (5)")
            raise AssertionError("no error")
        except psycopg.errors.UniqueViolation:
            pass
        assert conn.execute("SELECT count(*) FROM py3").fetchone() == (1,)
        conn.commit()
        with conn.cursor("server_side") as cur:
            cur.itersize = 9
            cur.execute("SELECT g FROM generate_series(1, 40) g")
            assert [r[0] for r in cur] == list(range(1, 41))
    conn.close()


if __name__ == "__main__":
    with_psycopg2(sys.argv[1])
    with_psycopg(sys.argv[1])
    print("ok")
