s || v
s || i4
s || c
v || s
c || c
s || n
concat(s, i4, b, d)
concat_ws('-', s, v, i4)
length(s)
length(c)
char_length(v)
octet_length(s)
lower(s)
upper(v)
initcap(s)
reverse(s)
substring(s from 2 for 3)
substring(s from i2::int4)
substring(s, 1, i4)
left(s, 3)
left(s, i2::int4)
right(s, -2)
lpad(s, 8, v)
rpad(s, 8)
trim(s)
trim(both 'a' from s)
ltrim(v, 'f')
replace(s, 'a', v)
translate(s, 'abc', 'xy')
repeat(s, 2)
split_part(s, ',', 2)
split_part(s, ',', i2::int4)
split_part(s, v, 1)
position('b' in s)
strpos(s, v)
starts_with(s, v)
s = v
s < v
s >= 'abc'
c = s
c = v
c < 'b'
v <> 'abc'
s IN ('a', 'abc', '')
v IN ('abc', 'x')
c IN ('abc', 'q')
s BETWEEN 'a' AND 'b'
s LIKE 'a%'
s LIKE '%b%'
s LIKE '%_c'
s LIKE v
s NOT LIKE '%a%'
s ILIKE 'A%'
s LIKE 'x\_y%'
s LIKE '%a%b%c%'
c LIKE 'ab%'
s SIMILAR TO '(a|b)%'
s ~ '^a+$'
s ~ 'b|w'
s ~* 'HELLO'
s !~ '[0-9]'
s ~ v
regexp_replace(s, '[aeiou]', '#', 'g')
regexp_replace(s, '(.)b', '\1\1')
regexp_match(s, '(.)(.)')
substring(s from 'l+')
substring(s from '(.)o')
regexp_count(s, 'a')
regexp_split_to_array(s, ',')
string_to_array(s, ',')
array_to_string(ta, '+', '?')
md5(s)
ascii(s)
encode(o, 'hex')
encode(o, 'base64')
length(o)
o || '\x00'::bytea
sha256(o)
quote_ident(v)
quote_literal(s)
format('%s-%I', s, v)
overlay(s placing 'XX' from 2 for 1)
s::int4
v::int4
s::varchar(3)
s::char(3)
c::text
c::varchar
v::char(10)
s::date
u::text
u = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
nullif(s, '')
coalesce(s, v, 'none')
CASE WHEN s LIKE 'a%' THEN 'starts' WHEN length(s) > 3 THEN s ELSE v END
CASE WHEN s = '' THEN NULL ELSE substring(s from 1 for 1) END
CASE WHEN s = '123' THEN s::int4 ELSE 0 END
s = '123' AND s::int4 > 100
greatest(s, v)
least(s, c)
s IS DISTINCT FROM v
j -> 'a'
j ->> 'a'
j -> 0
j #> '{b,1}'
j #>> '{a,c}'
jsonb_typeof(j)
j @> '{"a": 1}'
j ? 'a'
j || '{"z": 1}'
j - 'a'
jsonb_array_length(j)
j = '{"a": 1, "b": [1, 2]}'
j < '5'
to_jsonb(s)
to_json(n)
to_json(ts)
to_jsonb(a)
jsonb_build_object('s', s, 'i', i4)
json_build_array(s, f8, b)
a[1]
a[i2::int4]
a[1:2]
array_length(a, 1)
cardinality(a)
array_append(a, i4)
a || a
array_position(a, i4)
array_remove(a, 5)
i4 = ANY (a)
i4 <> ALL (a)
a @> ARRAY[1]
a && ARRAY[5, 6]
a = '{1,2,3}'
a < ARRAY[2]
ARRAY[i4, i2]
ARRAY[s, v]
ta || s
s = ANY (ta)
a::text
a::text[]
ta::text
s = ANY ('{abc,a}')
v <> ALL ('{abc,NULL}')
