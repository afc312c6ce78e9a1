-- integers
1
-1
2147483647
2147483648
-2147483648
9223372036854775807
9223372036854775808
1 + 1
2147483647 + 1
2147483647 + 1::int8
32767::int2 + 1::int2
32767::int2 + 1::int4
(-32768)::int2 - 1::int2
-32768::int2
-((-32768)::int2)
-((-2147483648)::int4)
-((-9223372036854775808)::int8)
9223372036854775807 + 1
9223372036854775807 - (-1)
3037000500 * 3037000500
3037000499 * 3037000499
(-9223372036854775808)::int8 * (-1)::int8
(-9223372036854775808)::int8 / (-1)::int8
(-9223372036854775808)::int8 % (-1)::int8
(-2147483648)::int4 / (-1)::int4
(-32768)::int2 / (-1)::int2
(-32768)::int2 / (-1)::int4
(-32768)::int2 / (-1)::int8
(-2147483648)::int4 / (-1)::int8
(-2147483648)::int4 / (-1)::int2
7 / 2
-7 / 2
7 % -2
-7 % 2
mod(7, 3)
mod(7::int8, 3)
1 / 0
1 % 0
1::int8 / 0::int2
abs(-5)
abs((-2147483648)::int4)
@ -5
~5
5 & 3
5 | 3
5 # 3
1 << 3
1 << 33
1::int8 << 33
1::int8 << 65
-8 >> 1
1::int2 << 15
1::int2 << 17
gcd(12, 18)
lcm(4, 6)
gcd(0, 0)
gcd((-2147483648)::int4, 0)
lcm(2147483647, 2)
1 = 1
1 < 2::int8
1::int2 >= 2
1 <> 1
1 != 2
1 = '1'
'1' = 1
1 = 'x'
1 = '99999999999'
1 + 'x'
1 + '1'
'1' + 1
1 + true
1 + NULL
NULL + 1
NULL + NULL
NULL = NULL
+ 5
- 'x'
1 || 2
1::int2
40000::int2
3000000000::int4
3000000000::int8::int4
'12'::int4
' 12 '::int4
'12x'::int4
''::int4
'99999999999'::int4
'32768'::int2
int4 '5'
int8 '5'
1::bool
0::bool
2::bool
true::int4
true::int8
1::int8::bool
int4(1.5)
int4('7')
1::oid
-1::oid
(-1)::oid
4294967295::oid
4294967296::oid
1::oid = 1
1::oid::int8
1 BETWEEN 0 AND 2
1 NOT BETWEEN 0 AND 2
3 BETWEEN SYMMETRIC 4 AND 2
3 NOT BETWEEN SYMMETRIC 4 AND 2
1 IN (1, 2, 3)
1 IN (2, 3)
1 NOT IN (2, 3)
1 IN (2, NULL)
1 IN (1, NULL)
1 NOT IN (2, NULL)
NULL IN (1, 2)
1 IN (1.0, 2)
1 IN ('1', '2')
1 IN (1, 'x')
1::int2 IN (1, 2)
1::int8 IN (1, 2)
1 IN (true, false)
greatest(1, 2, 3)
greatest(1, NULL, 3)
greatest(NULL, NULL)
least(1, 2.5, 3)
least(3, 2::int8)
greatest(1, 'x')
greatest('a', 'b')
nullif(1, 1)
nullif(1, 2)
nullif(1, 2.5)
nullif('a', 'b')
nullif(1, NULL)
coalesce(1, 2)
coalesce(NULL, 2)
coalesce(NULL, NULL)
coalesce(1, 1/0)
coalesce(NULL, 1/0)
coalesce(1, 2.5)
coalesce(1, 'x')
CASE WHEN true THEN 1 ELSE 1/0 END
CASE WHEN false THEN 1/0 ELSE 2 END
CASE 1 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END
CASE 3 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END
CASE WHEN 1 THEN 2 END
CASE WHEN true THEN 1 WHEN false THEN 2.5 END
CASE WHEN true THEN 1 ELSE 'x' END
CASE WHEN true THEN 1 ELSE true END
CASE WHEN NULL THEN 1 END
true AND false
true AND NULL
false AND NULL
false AND 1/0 = 1
true OR 1/0 = 1
true AND 1/0 = 1
NULL OR true
NULL OR false
NOT true
NOT NULL
NOT 1
1 AND true
'x' AND true
'true' AND true
true = 'yes'
true > false
true IS TRUE
NULL IS TRUE
NULL IS NOT TRUE
NULL IS UNKNOWN
true IS NOT UNKNOWN
1 IS TRUE
false IS FALSE
false IS NOT FALSE
1 IS NULL
NULL IS NULL
1 IS NOT NULL
1 IS DISTINCT FROM 2
1 IS DISTINCT FROM NULL
NULL IS DISTINCT FROM NULL
NULL IS NOT DISTINCT FROM NULL
1 IS NOT DISTINCT FROM 1
1 IS DISTINCT FROM 'x'
(1, 2) = (1, 2)
(1, 2) < (1, 3)
(1, NULL) = (1, 2)
(1, NULL) < (2, 2)
(1, 2) IN ((1, 2), (3, 4))
(1, 2) NOT IN ((1, 3), (3, NULL))
(1, 2) = (1, 2, 3)
ROW(1, NULL) IS NULL
ROW(NULL, NULL) IS NULL
ROW(1, 2) IS NOT NULL
foo(1)
foo(1, 'x', NULL)
pg_catalog.abs(-1)
1 @@@ 2
abs('x')
abs(NULL)
abs(1, 2)
'1' - '2'
'1'::text::int4
'x'::text::int4
'1'::varchar::int4
1::text
true::text
1::varchar(2)
12345::varchar(3)
