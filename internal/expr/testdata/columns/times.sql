d + 1
d - i2::int4
d - d
d - date '2000-01-01'
d + iv
d - iv
d + t
ts + iv
ts - iv
tz + iv
tz - iv
ts - ts
ts - timestamp '2000-01-01'
tz - timestamptz '2000-01-01 00:00+00'
t + iv
t - iv
t - time '01:00'
iv + iv
iv - iv
-iv
iv * 2
iv * 1.5
iv / 3
iv * f8
iv / i4
d = ts
d < tz
ts >= tz
tz > ts
ts <= d
d = date '2024-02-29'
ts < '2024-01-01'
tz BETWEEN '2024-01-01' AND '2025-01-01'
t > '12:00'
iv = '24 hours'
iv < interval '1 month'
iv > iv
d::timestamp
d::timestamptz
ts::date
ts::time
ts::timestamptz
tz::date
tz::time
tz::timestamp
iv::time
t::interval
ts::timestamp(0)
t::time(1)
iv::interval day
extract(year from d)
extract(dow from ts)
extract(hour from tz)
extract(epoch from ts)
extract(epoch from iv)
extract(second from t)
date_part('month', ts)
date_part('day', iv)
date_trunc('hour', ts)
date_trunc('week', d)
date_trunc('day', tz)
date_trunc('month', iv)
date_bin('1 hour', ts, '2000-01-01')
CASE WHEN isfinite(ts) THEN age(ts, timestamp '2000-01-01') END
CASE WHEN isfinite(tz) THEN age(tz, timestamptz '2000-01-01') END
ts AT TIME ZONE 'UTC'
tz AT TIME ZONE 'Europe/Berlin'
ts AT TIME ZONE 'America/New_York'
justify_days(iv)
justify_interval(iv)
isfinite(d)
isfinite(tz)
make_date(2000 + i2 % 20, 1, 1)
make_interval(days => i2::int4)
d IN ('2024-02-29', '2000-01-01')
ts IN (timestamp '1970-01-01', 'infinity')
iv IN ('1 day', '30 days')
greatest(d, date '2000-01-01')
least(ts, timestamp '2000-01-01')
coalesce(ts, d)
nullif(iv, '1 day')
d IS DISTINCT FROM '2024-02-29'
CASE WHEN b THEN ts ELSE d END
CASE WHEN b THEN iv ELSE '1 day' END
d::text
ts::text
tz::text
iv::text
tz || ''
to_timestamp(f8)
CASE WHEN extract(hour from ts) BETWEEN 8 AND 18 THEN 'day' ELSE 'night' END
ts >= d AND ts < d + interval '1 day'
to_char(ts, 'YYYY-MM-DD HH24:MI:SS.US')
to_char(tz, 'Dy HH12:MI AM TZ')
to_char(d, 'FMDay')
to_char(iv, 'HH24:MI')
to_char(n, '999.99')
to_char(i4, '9,999')
to_char(ts, s)
