'abc'
'abc' || 'def'
'abc' || NULL
'a' || 1
1 || 'a'
'a' || 1.50
'a' || true
'a'::varchar || 'b'
'a'::char(3) || 'b'
'a'::char(3) || 'b'::text
length('abc')
length('äöü')
length('ab '::char(5))
length('ab '::varchar(5))
length(123)
length(NULL)
char_length('äb')
octet_length('äb')
octet_length('ab'::char(5))
bit_length('ab')
lower('ABC Ä')
upper('abc ä')
initcap('hello wORLD 1st it''s')
reverse('abcä')
substring('hello' from 2 for 3)
substring('hello' from 2)
substring('hello' for 2)
substring('hello' from 0 for 2)
substring('hello' from -1 for 4)
substring('hello' from 2 for -1)
substring('hello' from 10)
substring('äöüß' from 2 for 2)
substring('hello', 2, 2147483647)
substr('hello', 2)
substr('hello', 2, 2)
position('l' in 'hello')
position('x' in 'hello')
position('' in 'hello')
position('ü' in 'äöü')
strpos('hello', 'lo')
left('hello', 2)
left('hello', -2)
left('hello', -10)
left('äöü', 2)
right('hello', 2)
right('hello', -2)
right('hello', -9)
right('äöü', 2)
lpad('hi', 5)
lpad('hi', 5, 'xy')
lpad('hello', 2)
lpad('hi', 5, '')
lpad('hi', -1)
lpad('ä', 4, 'öü')
rpad('hi', 5, 'xy')
rpad('hi', 5)
rpad('hello', 3)
trim('  hi  ')
trim(both 'x' from 'xxhixx')
trim(leading from '  hi  ')
trim(trailing 'ix' from 'xxhixx')
btrim('xyhixy', 'yx')
ltrim('  a ')
rtrim('  a ')
btrim('äaä', 'ä')
btrim('hi', '')
replace('hello', 'l', 'LL')
replace('hello', '', 'x')
replace('aaa', 'aa', 'b')
translate('12345', '143', 'ax')
translate('äöü', 'äü', 'xy')
repeat('ab', 3)
repeat('ab', -1)
repeat('ab', 2000000000)
split_part('a,b,c', ',', 2)
split_part('a,b,c', ',', 4)
split_part('a,b,c', ',', -1)
split_part('a,b,c', ',', -3)
split_part('a,b,c', ',', -4)
split_part('a,b,c', ',', 0)
split_part('a,b,c', '', 1)
split_part('a,b,c', '', 2)
split_part('', ',', 1)
split_part('a~@~b~@~c', '~@~', 2)
split_part('a~@~b~@~c', '~@~', -2)
split_part('aaaa', 'aa', -1)
starts_with('hello', 'he')
'hello' ^@ 'he'
concat('a', 1, NULL, true, 2.5)
concat()
concat(NULL)
concat_ws(',', 'a', NULL, 'b', 3)
concat_ws(NULL, 'a')
concat_ws(',', NULL)
ascii('a')
ascii('ä')
ascii('')
chr(65)
chr(228)
chr(0)
chr(-1)
chr(2000000000)
to_hex(255)
to_hex(-1)
to_hex(255::int8)
to_hex(-1::int8)
overlay('Txxxxas' placing 'hom' from 2 for 4)
overlay('hello' placing 'XX' from 2)
overlay('hello' placing 'XX' from 0)
overlay('hello' placing '' from 2 for 0)
overlay('hello' placing 'X' from 9)
overlay('hello' placing 'X' from 3 for -1)
'abc' = 'abc'
'abc' < 'abd'
'B' < 'a'
'abc'::char(5) = 'abc'
'abc'::char(5) = 'abc '::text
'abc'::char(5) = 'abc  '::varchar
'abc'::varchar = 'abc'::text
'abc' > 1
'a'::name = 'a'
'a'::name || 'b'
'abc'::name = 'abc'::text
'abcdef'::varchar(3)
'abc   '::varchar(3)
'abcdef'::char(3)
'ab'::char(4)
'ab'::char(4)::text
'ab'::char
'ab'::char(4)::varchar
'äöü'::varchar(2)
'x'::text::bool
'yes'::bool
'on'::bool
'maybe'::bool
true || 'x'
length('ab'::char(4) || 'c')
'abc' IN ('abc', 'def')
'abc' IN ('x', NULL)
'abc'::char(5) IN ('abc', 'x')
'abc' BETWEEN 'a' AND 'b'
greatest('a', 'b', 'c'::varchar)
nullif('a', 'a')
CASE 'x' WHEN 'x' THEN 1 END
'it''s'
E'a\tb'
'a' COLLATE "C" < 'b'
coalesce('a'::varchar, 'b'::text)
coalesce('b'::text, 'a'::varchar)
'r'::"char" = 'r'
'r'::"char" IN ('r', 'p', '')
'r'::"char" < 'v'::"char"
'r'::"char" || 'x'
'r'::"char"::text
'rx'::text::"char"
'A'::"char"::int4
'r'::"char" = 'r'::text
CASE 'r'::"char" WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' END
num_nulls(1, NULL, 'a')
num_nonnulls(1, NULL, 'a')
