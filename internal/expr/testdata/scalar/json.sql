'{"a": 1, "b": {"c": [1, 2, "x"]}}'::json -> 'a'
'{"a": 1, "b": {"c": [1, 2, "x"]}}'::json -> 'b'
'{"a": 1, "b": {"c": [1, 2, "x"]}}'::jsonb -> 'b' -> 'c' -> 2
'{"a": 1, "b": {"c": [1, 2, "x"]}}'::jsonb -> 'b' -> 'c' ->> -1
'{"a": "x\ty\u00e4"}'::json ->> 'a'
'{"a": "x"}'::json -> 'a'
'{"a": null}'::json ->> 'a'
'{"a": null}'::json -> 'a'
'{"a": 1}'::json -> 'z'
'{"a": 1, "a": 2}'::json -> 'a'
'{"a\u0062": 1}'::json -> 'ab'
'[1, 2, 3]'::json -> 0
'[1, 2, 3]'::json -> 5
'[1, 2, 3]'::json -> 'a'
'{"a": 1}'::json -> 0
'5'::json -> 0
' {"a" :  [ 1,2 ] } '::json -> 'a'
' {"a" :  [ 1,2 ] } '::json #> '{a}'
'{"a": {"b": [10, 20]}}'::jsonb #> '{a,b,1}'
'{"a": {"b": [10, 20]}}'::jsonb #>> '{a,b,-1}'
'{"a": {"b": [10, 20]}}'::jsonb #> '{}'
'{"a": {"b": [10, 20]}}'::json #> '{}'
'{"a": {"b": [10, 20]}}'::jsonb #> '{a,x}'
'{"a": {"b": [10, 20]}}'::jsonb #>> '{a,NULL}'
'{"a": {"b": "z"}}'::json #>> '{a,b}'
json_extract_path('{"a": {"b": 1}}', 'a', 'b')
json_extract_path_text('{"a": {"b": "q"}}', 'a', 'b')
jsonb_extract_path_text('{"a": {"b": "q"}}', VARIADIC '{a,b}')
json_typeof('[1]')
jsonb_typeof('null')
json_typeof('1.5')
jsonb_typeof('"x"')
json_typeof('true')
json_typeof('{}')
json_array_length('[1,[2,3],4]')
jsonb_array_length('[]')
json_array_length('{}')
json_array_length('5')
'{"b":1,"a":2,"aa":3}'::jsonb
'{"a":1,"a":2}'::jsonb
'[1.0, 1.50, 1e3]'::jsonb
'{"a":'::json
'{"a":'::jsonb
'nope'::json
'"\u0000"'::jsonb
'["\u0000"]'::json ->> 0
'{"a": 1}'::jsonb = '{"a": 1.0}'
'{"a": 1}'::jsonb < '{"a": 2}'
'[1]'::jsonb < '{}'
'[]'::jsonb < '1'
'1'::jsonb < 'true'
'"a"'::jsonb < '1'
'null'::jsonb < '"a"'
'[1, 2]'::jsonb > '[3]'
'{"a": 1, "b": 2}'::jsonb > '{"z": 1}'
'{"a": 1, "b": 2}'::jsonb @> '{"a": 1}'
'[1, 2, 3]'::jsonb @> '[3, 1]'
'[1, 2, 3]'::jsonb @> '3'
'3'::jsonb @> '[3]'
'{"a": [1, {"b": 2}]}'::jsonb @> '{"a": [{"b": 2}]}'
'{"a": 1}'::jsonb <@ '{"a": 1, "b": 2}'
'{"a": 1}'::jsonb ? 'a'
'["a", "b"]'::jsonb ? 'b'
'"a"'::jsonb ? 'a'
'{"a": 1, "b": 2}'::jsonb ?| array['b', 'c']
'{"a": 1, "b": 2}'::jsonb ?& array['a', 'c']
'{"a": 1}'::jsonb || '{"b": 2, "a": 3}'
'[1]'::jsonb || '[2, 3]'
'[1]'::jsonb || '2'
'1'::jsonb || '2'
'{"a": 1}'::jsonb || '[1]'
'{"a": 1, "b": 2}'::jsonb - 'a'
'["a", "b", "a"]'::jsonb - 'a'
'[1, 2, 3]'::jsonb - 1
'[1, 2, 3]'::jsonb - (-1)
'{"a": 1}'::jsonb - 1
'5'::jsonb - 'a'
'{"a": 1, "b": 2, "c": 3}'::jsonb - '{a,c}'::text[]
'{"a": {"b": [1, 2]}}'::jsonb #- '{a,b,0}'
'{"a": {"b": [1, 2]}}'::jsonb #- '{a,x}'
'5'::jsonb #- '{a}'
jsonb_set('{"a": 1}', '{a}', '2')
jsonb_set('{"a": 1}', '{b}', '2')
jsonb_set('{"a": 1}', '{b}', '2', false)
jsonb_set('{"a": [1, 2]}', '{a,1}', '"x"')
jsonb_set('{"a": [1, 2]}', '{a,9}', '"x"')
jsonb_set('{"a": [1, 2]}', '{a,-9}', '"x"')
jsonb_set('{"a": [1, 2]}', '{a,z}', '"x"')
jsonb_set('{"a": [1, 2]}', '{q,z}', '"x"')
jsonb_set('5', '{a}', '1')
jsonb_set('{"a": 1}', '{NULL}', '2')
jsonb_insert('{"a": [1, 2]}', '{a,1}', '"x"')
jsonb_insert('{"a": [1, 2]}', '{a,1}', '"x"', true)
jsonb_insert('{"a": [1, 2]}', '{b}', '"x"')
jsonb_insert('{"a": [1, 2]}', '{a}', '"x"')
jsonb_strip_nulls('{"a": null, "b": [1, null, {"c": null}]}')
json_strip_nulls('{ "a": null, "b": [ 1, null ], "c" : { } }')
jsonb_pretty('{"a": [1, {"b": {}}], "c": []}')
'true'::jsonb::bool
'1.5'::jsonb::numeric
'1.5'::jsonb::int
'"x"'::jsonb::int
'null'::jsonb::int
'[1]'::jsonb::bool
'{}'::jsonb::numeric
'1e400'::jsonb::float8
'99999'::jsonb::int2
'2.5'::jsonb::float4
'{"b": 1, "a": 2}'::json::jsonb
'{"b": 1, "a": 2}'::jsonb::json
'{"b": 1}'::jsonb::text
'{"b": 1}'::text::jsonb
to_json(1)
to_json(1.50)
to_json('x'::text)
to_json('x"y'::varchar)
to_json(true)
to_json(NULL::int)
to_json('NaN'::float8)
to_json('Infinity'::float4)
to_json(1e20::float8)
to_json(timestamp '2024-01-01 10:00:00.5')
to_json(timestamptz '2024-07-01 12:00+00')
to_json(date '2024-01-01')
to_json('infinity'::timestamp)
to_json(interval '1 day')
to_json(array[[1, 2], [3, 4]])
to_json(array['a', NULL])
to_json('{}'::int[])
to_json('{"a": 1}'::json)
to_jsonb('{"b": 1, "a": 2}'::json)
to_jsonb(1.50)
to_jsonb(array[1.5, 2])
to_jsonb('x'::text)
to_jsonb(timestamp '2024-01-01')
to_json('\x01'::bytea)
to_json('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)
array_to_json(array[1, 2])
json_build_object('a', 1, 'b', NULL, 'c', array[1, 2])
json_build_object(1, 2)
json_build_object('a')
json_build_object(NULL, 1)
json_build_object()
jsonb_build_object('b', 1, 'a', true, 'c', 'x')
jsonb_build_object('a', '{"z": 1}'::json)
jsonb_build_object(NULL, 1)
json_build_array(1, 'x', NULL, true, 2.5, date '2024-01-01')
json_build_array()
jsonb_build_array(1, 'x', '{"b": 1}'::jsonb)
json_object('{a,1,b,2}')
json_object('{{a,1},{b,NULL}}')
json_object('{a,1,b}')
jsonb_object('{a,b}', '{1,2}')
json_object('{a,NULL}', '{1,2}')
'{"a": 1}'::json = '{"a": 1}'
('{"a": [1, 2]}'::jsonb)['a'][1]
('{"a": 5}'::jsonb ->> 'a')::int + 1
('{"a": 1}'::jsonb -> 'a')::text
'{"a": 1}'::jsonb || NULL
'{"a":1}' -> 'a'
