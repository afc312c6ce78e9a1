ARRAY[1, 2, 3]
ARRAY[1, 2.5]
ARRAY['a', 'b c', NULL, '', 'null', 'x"y', '{z}']
ARRAY[[1, 2], [3, 4]]
ARRAY[[1, 2], [3]]
ARRAY[ARRAY[1], '{2}']
ARRAY[]
ARRAY[]::int[]
ARRAY['1', '2']::int[]
ARRAY[1, 'x']
ARRAY[1, true]
ARRAY[date '2024-01-01', NULL]
ARRAY[timestamp '2024-01-01 10:00']
ARRAY[true, false]
ARRAY[1.50, 2]
ARRAY[interval '1 day']
ARRAY['\x01'::bytea]
'{1,2,3}'::int[]
'{1,2,x}'::int[]
'{{1,2},{3,4}}'::int[]
'{a, "b c" ,NULL}'::text[]
'[2:3]={a,b}'::text[]
'{'::int[]
'{1,2}'::int[]::text[]
'{1,2}'::int[]::int8[]
'{1.5,2}'::numeric[]::int[]
'{a,b}'::text[]::varchar(1)[]
'{abc}'::text[]::varchar(2)[]
'{1,2}'::text::int[]
'{1,2}'::int[]::text
(ARRAY[10, 20, 30])[2]
(ARRAY[10, 20, 30])[4]
(ARRAY[10, 20, 30])[NULL]
(ARRAY[10, 20, 30])[2:3]
(ARRAY[10, 20, 30])[:2]
(ARRAY[10, 20, 30])[2:]
(ARRAY[10, 20, 30])[5:6]
(ARRAY[[1,2],[3,4]])[1]
(ARRAY[[1,2],[3,4]])[1:1]
('[2:3]={a,b}'::text[])[2]
(5)[1]
array_length(ARRAY[1, 2, 3], 1)
array_length(ARRAY[1, 2, 3], 2)
array_length('{}'::int[], 1)
array_length(ARRAY[[1, 2, 3], [4, 5, 6]], 2)
array_lower('[2:3]={a,b}'::text[], 1)
array_upper('[2:3]={a,b}'::text[], 1)
array_ndims(ARRAY[[1, 2]])
array_ndims('{}'::int[])
array_dims(ARRAY[[1, 2]])
array_dims('[2:3]={a,b}'::text[])
cardinality(ARRAY[[1, 2], [3, 4]])
cardinality('{}'::int[])
array_append(ARRAY[1, 2], 3)
array_append(NULL::int[], 3)
array_append(ARRAY[1, 2], NULL)
array_append(ARRAY[1, 2], 2.5)
array_append(ARRAY[[1]], 2)
array_append('[2:3]={a,b}'::text[], 'c')
array_prepend(0, ARRAY[1, 2])
array_prepend(0, '[2:3]={5,6}'::int[])
array_cat(ARRAY[1, 2], ARRAY[3])
array_cat(ARRAY[[1, 2]], ARRAY[3, 4])
array_cat(ARRAY[1, 2], ARRAY[[3, 4]])
array_cat(ARRAY[1, 2], ARRAY[[3]])
array_cat(NULL::int[], ARRAY[1])
array_cat(NULL::int[], NULL::int[])
ARRAY[1, 2] || 3
0 || ARRAY[1, 2]
ARRAY[1, 2] || ARRAY[3]
ARRAY[1, 2] || '{3,4}'
ARRAY[1, 2] || NULL
ARRAY['a'] || 'b'::text
ARRAY['a'] || 'b'
ARRAY[1] || 2.5
array_position(ARRAY['a', 'b', 'c'], 'b')
array_position(ARRAY['a', 'b', 'c'], 'x')
array_position(ARRAY[1, NULL, 2], NULL)
array_position(ARRAY[1, 2, 1], 1, 2)
array_position(ARRAY[[1]], 1)
array_position('[2:3]={a,b}'::text[], 'b')
array_positions(ARRAY[1, 2, 1], 1)
array_remove(ARRAY[1, 2, 1, NULL], 1)
array_remove(ARRAY[1, NULL], NULL)
array_remove(ARRAY[[1]], 1)
array_replace(ARRAY[1, 2, 1], 1, 9)
array_replace(ARRAY[1, NULL], NULL, 0)
trim_array(ARRAY[1, 2, 3], 2)
trim_array(ARRAY[1, 2, 3], 4)
ARRAY[1, 2, 3] @> ARRAY[2]
ARRAY[1, 2, 3] @> ARRAY[4]
ARRAY[1, 2, 3] @> '{}'
ARRAY[1, NULL] @> ARRAY[NULL]::int[]
ARRAY[2] <@ ARRAY[1, 2]
ARRAY[1, 2] && ARRAY[2, 3]
ARRAY[1, 2] && '{}'
ARRAY[1, 2] = ARRAY[1, 2]
ARRAY[1, 2] < ARRAY[1, 3]
ARRAY[1, 2] < ARRAY[1, 2, 0]
ARRAY[1, NULL] = ARRAY[1, NULL]
ARRAY[1, NULL] > ARRAY[1, 5]
ARRAY[1.0] = ARRAY[1.00]
ARRAY[1] = ARRAY['1']
ARRAY[1, 2] = '{1,2}'
ARRAY[1] = ARRAY[1.5]
1 = ANY (ARRAY[1, 2])
3 = ANY (ARRAY[1, 2])
3 = ANY (ARRAY[1, NULL])
1 = ANY ('{1,2}')
1 = ANY ('{1,2}'::int8[])
1 = ANY (NULL::int[])
NULL = ANY (ARRAY[1])
NULL = ANY ('{}'::int[])
1 <> ALL (ARRAY[2, 3])
1 <> ALL (ARRAY[1, 3])
1 <> ALL (ARRAY[2, NULL])
1 < ALL ('{}'::int[])
'a' LIKE ANY (ARRAY['a%', 'b%'])
'a' = ANY (ARRAY['a', 'b'])
'a'::varchar = ANY (ARRAY['a', 'b'])
1.5 > ANY (ARRAY[1, 2])
1 = ANY (5)
1 + ANY (ARRAY[1])
1 / 0 = ANY (ARRAY[1])
array_to_string(ARRAY[1, 2, NULL, 3], ',')
array_to_string(ARRAY[1, 2, NULL, 3], ',', '*')
array_to_string(ARRAY[[1, 2], [3, 4]], '-')
array_to_string(ARRAY['a', 'b'], NULL)
array_to_string(ARRAY['a', NULL], ',', NULL)
array_to_string('{}'::int[], ',')
array_to_string(ARRAY[true], ',')
string_to_array('a,b,c', ',')
string_to_array('a,b,c', ',', 'b')
string_to_array('abc', NULL)
string_to_array('a,b', '')
string_to_array('', ',')
string_to_array(NULL, ',')
string_to_array('a~^~b', '~^~')
coalesce(ARRAY[1], '{}')
greatest(ARRAY[1], ARRAY[2])
ARRAY[1] IS DISTINCT FROM ARRAY[1]
ARRAY[1] IN (ARRAY[1], ARRAY[2])
ARRAY[1, 2]::text[]
ARRAY[1.5]::int[]
width_bucket(5, ARRAY[1, 3, 4])
'1 2 3'::int2vector
2 = ANY ('1 2 3'::int2vector)
('1 2 3'::int2vector)[0]
('1 2 3'::int2vector)[3]
'10 20'::oidvector
20::oid = ANY ('10 20'::oidvector)
'1 2'::int2vector::int2[]
array_length('1 2 3'::int2vector, 1)
array_to_string('1 2'::int2vector, ',')
