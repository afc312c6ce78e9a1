// Ordinary use of node's pg. The argument is the server's URL. Every check throws when it fails.
"use strict";
const assert = require("node:assert/strict");
const pg = require("pg");
const Cursor = require("pg-cursor");

async function types(client) {
  await client.query("DROP TABLE IF EXISTS node_types CASCADE");
  await client.query(
    "CREATE TABLE node_types (id int PRIMARY KEY, big bigint, f float8, n numeric(10,2), b bool, s text, at timestamptz, raw bytea, ids int[], j jsonb)",
  );
  const at = new Date("2026-02-03T04:05:06.789Z");
  const row = [1, "9007199254740993", 1.5, "12.345", true, "ä'\\", at, Buffer.from([0, 255]), [1, 2], { a: [1, null] }];
  const inserted = await client.query("INSERT INTO node_types VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) RETURNING id", row);
  assert.equal(inserted.command, "INSERT");
  assert.equal(inserted.rowCount, 1);
  const { rows, fields } = await client.query("SELECT * FROM node_types WHERE id = $1", [1]);
  assert.deepEqual(rows[0], {
    id: 1, big: "9007199254740993", f: 1.5, n: "12.35", b: true, s: "ä'\\", at, raw: Buffer.from([0, 255]), ids: [1, 2], j: { a: [1, null] },
  });
  assert.deepEqual(fields.map((f) => f.dataTypeID), [23, 20, 701, 1700, 16, 25, 1184, 17, 1007, 3802]);
  const binary = await client.query({ text: "SELECT id, f, b, s FROM node_types", binary: true, rowMode: "array" });
  assert.deepEqual(binary.rows, [[1, 1.5, true, "ä'\\"]]);
  const nothing = await client.query("SELECT NULL AS x");
  assert.equal(nothing.rows[0].x, null);
}

async function statements(client) {
  const named = { name: "add", text: "SELECT $1::int + $2::int AS sum" };
  for (const [a, b] of [[1, 2], [3, 4]]) {
    assert.equal((await client.query({ ...named, values: [a, b] })).rows[0].sum, a + b);
  }
  const several = await client.query("SELECT 1 AS a; SELECT 2 AS b");
  assert.deepEqual(several.map((r) => r.rows[0]), [{ a: 1 }, { b: 2 }]);
  await assert.rejects(client.query("SELECT nothing FROM node_types"), (e) => e.code === "42703" && e.position === "8");
  await assert.rejects(client.query("INSERT INTO node_types (id) VALUES ($1)", [1]), (e) => e.code === "23505" && e.constraint === "node_types_pkey");
  const cursor = client.query(new Cursor("SELECT g FROM generate_series(1, 1000) g"));
  let read = 0;
  for (let rows = await cursor.read(300); rows.length > 0; rows = await cursor.read(300)) read += rows.length;
  await cursor.close();
  assert.equal(read, 1000);
}

async function transactions(client) {
  await client.query("BEGIN");
  await client.query("INSERT INTO node_types (id) VALUES (2)");
  assert.equal((await client.query("SELECT count(*)::int AS n FROM node_types")).rows[0].n, 2);
  await client.query("ROLLBACK");
  assert.equal((await client.query("SELECT count(*)::int AS n FROM node_types")).rows[0].n, 1);
  await client.query("BEGIN");
  await assert.rejects(client.query("SELECT 1/0"), (e) => e.code === "22012");
  await assert.rejects(client.query("SELECT 1"), (e) => e.code === "25P02");
  await client.query("ROLLBACK");
}

async function view(client) {
  await client.query("CREATE MATERIALIZED VIEW node_view AS SELECT b, count(*)::int AS n FROM node_types GROUP BY b");
  await client.query("INSERT INTO node_types (id, b) VALUES (10, true), (11, false)");
  const { rows } = await client.query("SELECT * FROM node_view ORDER BY b");
  assert.deepEqual(rows, [{ b: false, n: 1 }, { b: true, n: 2 }]);
}

async function pool(url) {
  const p = new pg.Pool({ connectionString: url, max: 4 });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => p.query("SELECT $1::int AS i", [i])));
  assert.deepEqual(answers.map((r) => r.rows[0].i), Array.from({ length: 20 }, (_, i) => i));
  await p.end();
}

async function main(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const part of [types, statements, transactions, view]) await part(client);
  await client.query("DROP TABLE node_types CASCADE");
  await client.end();
  await pool(url);
  console.log("ok");
}

main(process.argv[2]).catch((e) => {
  console.error(e);
  process.exit(1);
});
