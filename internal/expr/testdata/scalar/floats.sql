1.5::float8 + 2
1e308::float8 * 10
1e-308::float8 * 1e-308
1e-308::float8 / 1e308
1::float8 / 0
0::float8 / 0
'NaN'::float8 / 0
'NaN'::float8 = 'NaN'::float8
'NaN'::float8 > 'Infinity'::float8
'NaN'::float8 < 1
'Infinity'::float8 - 'Infinity'::float8
'Infinity'::float8 / 0
1::float8 / 'Infinity'::float8
-0.0::float8
0.1::float4 + 0.2::float4
0.1::float4 + 0.2::float8
0.1::float4::float8
3.4e38::float4 * 10
1e-45::float4 / 10
1e39::float8::float4
1e-50::float8::float4
'1e400'::float8
'1e-400'::float8
'abc'::float8
'Infinity'::float4
2.5::float8::int4
3.5::float8::int4
-2.5::float8::int4
1e10::float8::int4
1e20::float8::int8
'NaN'::float8::int4
9223372036854775807::float8::int8
1.4999::float4::int2
1::float8::text
1e15::float8
123456789012345678::float8
1e-5::float8
0.0001::float8
123456.789::float4
1234567::float4
sqrt(4)
sqrt(2::float8)
sqrt(-1::float8)
|/ 25.0
-8::float8 ^ (1.0/3)
2 ^ 10
2 ^ -1
0::float8 ^ -1
(-8)::float8 ^ 0.5
power(2::float8, 0.5)
power('NaN'::float8, 0)
power(1, 'NaN'::float8)
power(1e200::float8, 2)
power(1e-200::float8, 2)
exp(1::float8)
exp(1000::float8)
exp(-1000::float8)
ln(0::float8)
ln(-1::float8)
ln(10::float8)
log(100::float8)
log10(1000::float8)
ceil(1.2::float8)
ceiling(-1.2::float8)
floor(-1.2::float8)
round(2.5::float8)
round(-2.5::float8)
round(3.5::float8)
trunc(-2.7::float8)
sign(-3::float8)
sign(0::float8)
sign('NaN'::float8)
abs(-1.5::float8)
abs('x')
abs(NULL)
degrees(pi())
radians(180::float8)
sin(1::float8)
cos('Infinity'::float8)
atan2(1, 2)
asin(2::float8)
acos(1::float8)
sinh(1::float8)
1.5::float8 % 2
1::float8 = 1
1.5::float8 > 1::int2
0.5::float4 = 0.5::float8
0.1::float4 = 0.1::float8
float8 '1.5'
1.5::float8::numeric
1e25::float8::numeric
0.1::float4::numeric
1e20::numeric::float8
'1e500'::numeric::float8
1.5::float8 IN (1, 1.5)
