1.5
1.50
1e10
1e-5
.5
1.10 + 2.2
1.5 * 2.25
10 / 4.0
10.0 / 3
1 / 3.0
2 / 3.0
1.0 / 0
1.0 % 0
mod(7.5, 2)
-7.5 % 2
div(7.5, 2)
div(-7.5, 2)
- 1.5
@ -1.5
abs(-1.50)
sign(-2.5)
sign(0.0)
ceil(1.2)
ceil(-1.2)
floor(1.8)
round(2.5)
round(-2.5)
round(1.2345, 2)
round(1250, -2)
round(1.5, 3)
trunc(1.789, 2)
trunc(-1.789)
trunc(1789.5, -2)
scale(1.500)
scale('NaN'::numeric)
1.5 = 1.50
1.5 < 2
1.5 = '1.5'
1.5 = 'x'
1.5 + 'x'
1.5 + 1
1.5 + 1::float8
'NaN'::numeric = 'NaN'::numeric
'NaN'::numeric > 1e100
'Infinity'::numeric - 'Infinity'::numeric
'Infinity'::numeric * 0
'-Infinity'::numeric
1::numeric(5,2)
123.456::numeric(5,2)
1234.5::numeric(5,2)
99999.5::numeric(5)
123.456::numeric(5,-1)
1.5::int4
2.5::int4
-2.5::int4
1e10::int4
1e30::int8
'NaN'::numeric::int4
'Infinity'::numeric::int8
'12.50'::numeric
'1e5'::numeric
' 1.5 '::numeric
'1.5x'::numeric
123456789012345678901234567890 * 98765432109876543210
12345678901234567890123456789012345678 * 98765432109876543210987654321098765432
1.00000000000000000000000000000000000001 + 1
99999999999999999999999999999999999999 + 1
0.908 * 100
0.908 * 12345::int8
price
1.5::text
1.5::numeric(10,3)::text
1::numeric
1.5::bool
1.5::float4
numeric '3.14'
1000000 * 0.908
1.5 BETWEEN 1 AND 2
1.5 IN (1, 1.5, 2)
1.5 IN (1, 2)
greatest(1.5, 2)
coalesce(NULL, 1.50)
CASE WHEN true THEN 1.5::numeric(10,2) ELSE 2.5::numeric(10,2) END
nullif(1.5, 1.50)
1.5 IS DISTINCT FROM 1.50
1::int8 * 2.5
5::int2 / 2.0
1::numeric(1001)
1::numeric(5, 2000)
sqrt(2.0)
sqrt(-1.0)
exp(1.0)
ln(10.0)
ln(0.0)
log(100.0)
log10(1000.0)
log(2.0, 64.0)
2.0 ^ 10
2.0 ^ 0.5
power(2, 3.5)
0.0 ^ -1
(-8.0) ^ 0.5
1.5 ^ -3
min_scale(1.500)
min_scale('NaN'::numeric)
trim_scale(1.500)
trim_scale(100)
factorial(5)
factorial(-1)
factorial(40)
width_bucket(5.35, 0.024, 10.06, 5)
width_bucket(5.35::float8, 0.024, 10.06, 5)
width_bucket(-1, 0, 10, 5)
width_bucket(10, 0, 10, 5)
width_bucket(5, 10, 0, 5)
width_bucket(5, 0, 10, 0)
width_bucket(5, 1, 1, 5)
width_bucket('NaN'::numeric, 1, 2, 5)
