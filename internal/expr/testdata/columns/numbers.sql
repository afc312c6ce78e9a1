i2 + i4
i2 + i2
i4 + i4
i8 + i8
i8 - i4
i4 * i4
i8 * i8
i8 * i2
i4 / i2
i8 / i8
i4 % i2
i8 % i8
-i4
-i8
abs(i2)
~i4
i4 & 12
i4 << 2
i8 >> i2::int4
i4 + 1
1 - i4
i4 = i8
i2 <> i4
i4 < i2
i8 <= 5
5 > i8
i4 >= 1
i4 + f8
f8 + f8
f8 * f8
f8 / f8
f4 + f4
f4 * f4
f4 / 2::float4
f4 * f8
f8 - f4
f8 = f4
f8 < f8
f8 > 1.5
f4 <= f8
-f8
abs(f4)
f8::int4
f8::int8
f4::int2
f8::float4
f8::numeric
f4::numeric
n + n
n - m
n * m
n * 0.908
m * 0.908
m / 3
n / n
n % m
-n
abs(n)
round(n, 1)
trunc(m)
floor(n)
ceil(m)
sign(n)
n = m
n < 1.1
n >= m
n::int4
n::int8
n::float8
n::float4
n::numeric(6,1)
m::int2
n::text
i8::numeric
i8::int4
i4::int2
i4::bool
b::int4
i4::text
f8::text
f4::text
b::text
sqrt(f8)
ln(n)
round(exp(f8)::numeric, 10)
power(f8, 2)
f8 ^ 0.5
greatest(i4, i8, 3)
least(n, m)
greatest(f8, f4)
coalesce(i4, i8, 0)
coalesce(n, m)
nullif(i4, 0)
nullif(n, m)
i4 / nullif(i2, 0)
i4 BETWEEN i2 AND 100
i4 NOT BETWEEN 0 AND i8
i4 IN (1, 2, 100)
i4 IN (1, NULL)
i4 NOT IN (1, 2)
i4 NOT IN (1, NULL)
i8 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000000)
n IN (1, 1.1, -2.5)
i4 IN (i2, i8)
i4 IN (i2, 100)
f8 IN (1.5, 'NaN')
i4 IS NULL
i4 IS NOT NULL
i4 IS DISTINCT FROM i8
n IS NOT DISTINCT FROM m
f8 IS DISTINCT FROM NULL
CASE WHEN i4 > 0 THEN 100 / i4 ELSE 0 END
CASE WHEN i4 <> 0 THEN 100 / i4 END
CASE WHEN i2 > 0 THEN i4 + 1 WHEN i2 < 0 THEN i4 - 1 ELSE i4 / i2 END
CASE i4 WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END
CASE WHEN b THEN n ELSE m END
CASE WHEN b THEN f8 WHEN NOT b THEN f4 END
CASE WHEN i4 = 0 THEN NULL ELSE i8 / i4 END
CASE WHEN b AND i4 > 0 THEN i4 / i2 ELSE i4 END
i4 <> 0 AND 10 / i4 > 1
i4 = 0 OR 10 / i4 > 1
10 / i4 > 1 OR i4 = 0
i4 > 0 AND i8 > 0
i4 > 0 OR i8 > 0
b AND i4 > 0 AND 10 / i2 > 0
b OR i4 > 0 OR 10 / i2 > 0
NOT (b AND i4 > 0)
b AND NULL
b OR NULL
b = (i4 > 0)
b IS TRUE
b IS NOT TRUE
b IS FALSE
b IS UNKNOWN
b IS NOT UNKNOWN
NOT b
b > false
coalesce(b, i4 > 0)
(i4, i2) = (1, 1)
(i4, i2) < (i2, i4)
(i4, i8) IN ((1, 1), (0, 5))
(i4 + 1) * (i4 + 1) - (i4 + 1)
i8 * 2 + CASE WHEN b THEN i8 * 2 ELSE 0 END
coalesce(i4, 10 / i2)
to_hex(i4)
to_hex(i8)
width_bucket(m, 0, 100, 10)
b AND i4 > 0 AND 10 / i2 > 0 AND i8 > 0 AND i8 / i4 > 0
(b OR i4 > 0) AND (i2 <> 0 AND 10 / i2 > 0 OR i8 > 5)
i4 = ANY ('{1,2,100}')
i4 <> ALL ('{1,2,100}')
i4 = ANY ('{1,NULL}')
i4 <> ALL ('{1,NULL}')
n = ANY ('{1.10,0}')
NOT (10 / i2 > 0)
CASE WHEN i4 IS NULL OR i4 IS NOT NULL THEN 1 WHEN b THEN 2 ELSE 3 END
coalesce(CASE WHEN b IS NULL THEN NULL WHEN b THEN i4 ELSE i8 END, n, 0)
