date '2024-02-29'
'2024-02-29'::date + 1
1 + '2024-02-29'::date
'2024-02-29'::date - 1
'2024-03-01'::date - '2024-02-28'::date
'2024-02-29'::date + interval '1 month'
'2024-02-29'::date - interval '1 day 02:00'
interval '1 day' + '2024-02-29'::date
'2024-02-29'::date + time '12:34:56'
time '12:34' + date '2024-02-29'
'2024-02-29'::date - '1'
'2024-02-29'::date + '1'
'infinity'::date + 1
'5874897-12-31'::date + 1
timestamp '2024-01-31 10:00' + interval '1 month'
timestamp '2024-01-31 10:00' - interval '1 year 2 days 03:04:05.678'
timestamp '2024-03-10 01:30' - timestamp '2024-03-09'
timestamptz '2024-03-10 01:30-05' + interval '1 day'
timestamptz '2024-03-09 12:00' + interval '1 day'
timestamptz '2024-03-09 12:00' + interval '24 hours'
timestamptz '2024-03-11' - timestamptz '2024-03-10'
timestamptz '2024-11-03 12:00' - timestamptz '2024-11-02 12:00'
'2024-01-01 10:00'
'2024-01-01 10:00'::timestamp
'2024-01-01 10:00+02'::timestamptz
'2024-07-01 10:00'::timestamptz
'2024-01-01 10:00:00.123456789'::timestamp
'2024-01-01 10:00:00.126'::timestamp(2)
'2024-01-01 10:00:00.126'::timestamp(0)
'10:00:00.126'::time(1)
'24:00'::time
'25:00'::time
'2024-13-01'::date
'foo'::date
'foo'::timestamp
'2024-02-30'::timestamp
'infinity'::timestamp
'-infinity'::timestamptz
'infinity'::timestamp + interval '1 day'
'infinity'::timestamp - 'infinity'::timestamp
'2024-01-01'::date::timestamp
'2024-07-01'::date::timestamptz
'2024-07-01 23:30'::timestamp::date
'2024-07-02 02:30+00'::timestamptz::date
'2024-07-02 02:30+00'::timestamptz::timestamp
'2024-07-02 02:30+00'::timestamptz::time
'2024-07-02 02:30'::timestamp::timestamptz
'2024-07-02 02:30'::timestamp::time
interval '26:30'::time
interval '-1 hour'::time
time '10:00'::interval
time '10:00' - time '08:30'
time '10:00' + interval '15 hours'
time '10:00' - interval '11 hours'
interval '1 day' + interval '2 hours'
interval '1 day' - interval '25 hours'
- interval '1 day -2 hours'
interval '1 day' * 2
2 * interval '1 day'
interval '1 day' * 1.5
1.5 * interval '1 month'
interval '1 month' / 2
interval '1 day' / 0
interval '1 month 15 days' * 0.5
interval '1' second
interval '1-2' year to month
interval '1 2:03' day to minute
interval '90' minute
interval '1 year 2 months 3 days 04:05:06.789'
interval '1.5 days'
interval 'P1Y2M3DT4H5M6S'
interval '1 day ago'
interval 'foo'
interval(2) '1.23456 seconds'
'1 day 2:03:04.5678'::interval(1)
'1 year 3 months 4 days'::interval year
'1 year 3 months 4 days'::interval month
'1 day 2:03:04'::interval hour
'1 day'::interval = '24 hours'::interval
'1 month'::interval = '30 days'::interval
'1 month'::interval > '29 days'::interval
'2024-01-01'::date = '2024-01-01'
'2024-01-01'::date < 'x'
'2024-01-01'::date = '2024-01-01'::timestamp
'2024-01-01'::date < '2024-01-01 00:00:01'::timestamp
'2024-01-01'::date <= '2024-01-01 05:00+00'::timestamptz
'2024-01-01'::date < '2024-01-01 05:00+00'::timestamptz
'2024-01-01 00:00'::timestamp = '2024-01-01 05:00+00'::timestamptz
'2024-01-01 05:00+00'::timestamptz > '2024-01-01 00:00'::timestamp
'5874897-12-31'::date > 'infinity'::timestamp
'5874897-12-31'::date > '294276-12-31'::timestamp
'infinity'::date = 'infinity'::timestamp
'2024-01-01'::timestamp BETWEEN '2023-12-31' AND '2024-01-02'
'2024-01-01'::date IN ('2024-01-01', '2024-01-02')
'2024-01-01'::timestamp IN (date '2024-01-01')
greatest(date '2024-01-01', timestamp '2024-01-02')
coalesce(NULL, date '2024-01-01')
extract(year from timestamp '2024-02-29 12:34:56.789')
extract(month from timestamp '2024-02-29 12:34:56.789')
extract(day from date '2024-02-29')
extract(hour from timestamp '2024-02-29 12:34:56.789')
extract(second from timestamp '2024-02-29 12:34:56.789')
extract(milliseconds from timestamp '2024-02-29 12:34:56.789')
extract(microseconds from time '12:34:56.789')
extract(epoch from timestamp '2024-02-29 12:34:56.789')
extract(epoch from timestamptz '2024-02-29 12:34:56.789+00')
extract(epoch from interval '1 day 2 hours')
extract(epoch from date '2024-02-29')
extract(dow from date '2024-02-29')
extract(isodow from date '2024-03-03')
extract(doy from date '2024-02-29')
extract(week from date '2024-12-30')
extract(isoyear from date '2024-12-30')
extract(quarter from date '2024-05-01')
extract(century from date '2001-01-01')
extract(decade from date '2019-01-01')
extract(millennium from date '2001-01-01')
extract(julian from date '2024-01-01')
extract(hour from timestamptz '2024-07-01 12:00+00')
extract(timezone from timestamptz '2024-07-01 12:00+00')
extract(timezone_hour from timestamptz '2024-07-01 12:00+00')
extract(hour from interval '26 hours')
extract(day from interval '26 hours')
extract(hour from date '2024-01-01')
extract(foo from timestamp '2024-01-01')
extract(year from time '10:00')
extract(year from 'infinity'::timestamp)
extract(hour from 'infinity'::timestamp)
date_part('hour', date '2024-01-01')
date_part('epoch', timestamp '2024-02-29 12:34:56.789')
date_part('year', interval '14 months')
date_trunc('hour', timestamp '2024-02-29 12:34:56.789')
date_trunc('week', timestamp '2024-02-29 12:34:56')
date_trunc('month', date '2024-02-29')
date_trunc('day', timestamptz '2024-07-01 03:00+00')
date_trunc('day', timestamptz '2024-07-01 03:00+00', 'Asia/Tokyo')
date_trunc('quarter', timestamp '2024-05-29')
date_trunc('foo', timestamp '2024-05-29')
date_trunc('month', interval '1 year 2 months 3 days')
date_trunc('week', interval '1 day')
date_bin('15 minutes', timestamp '2024-01-01 12:34:56', timestamp '2024-01-01')
date_bin('1 month', timestamp '2024-01-01 12:34:56', timestamp '2024-01-01')
date_bin('-1 minute', timestamp '2024-01-01 12:34:56', timestamp '2024-01-01')
age(timestamp '2024-03-01', timestamp '2023-01-31')
age(timestamptz '2024-03-01', timestamptz '2023-01-31')
age('2024-03-01', '2023-01-31')
timestamp '2024-01-01 12:00' AT TIME ZONE 'UTC'
timestamp '2024-07-01 12:00' AT TIME ZONE 'Europe/Berlin'
timestamptz '2024-07-01 12:00+00' AT TIME ZONE 'Europe/Berlin'
timestamptz '2024-07-01 12:00+00' AT TIME ZONE 'PST'
timestamptz '2024-07-01 12:00+00' AT TIME ZONE interval '3 hours'
timestamptz '2024-07-01 12:00+00' AT TIME ZONE 'Nowhere'
timestamp '2024-03-10 02:30' AT TIME ZONE 'America/New_York'
timestamp '2024-11-03 01:30' AT TIME ZONE 'America/New_York'
date '2024-01-01' AT TIME ZONE 'UTC'
timezone('UTC', timestamp '2024-01-01')
make_date(2024, 2, 29)
make_date(2023, 2, 29)
make_date(-44, 3, 15)
make_time(12, 34, 56.789)
make_time(25, 0, 0)
make_timestamp(2024, 2, 29, 12, 34, 56.789)
make_timestamptz(2024, 7, 1, 12, 0, 0)
make_timestamptz(2024, 7, 1, 12, 0, 0, 'Asia/Tokyo')
make_interval(1, 2, 3, 4, 5, 6, 7.89)
make_interval(days => 10)
make_interval(1, secs => 2.5)
make_interval()
near make_interval(foo => 1)
to_timestamp(1700000000.5)
to_timestamp('infinity'::float8)
justify_hours(interval '50 hours')
justify_days(interval '65 days')
justify_interval(interval '1 month -1 hour')
isfinite(date '2024-01-01')
isfinite('infinity'::timestamp)
isfinite(interval '1 day')
timestamp '2024-01-01' - date '2023-12-31'
date '2024-01-01' - timestamp '2023-12-31'
now() - now()
now() = transaction_timestamp()
'now'::text::timestamp > '2000-01-01'
'today'::date < 'tomorrow'::date
'epoch'::timestamp
'2024-01-01'::date::text
'2024-07-01 12:00'::timestamptz::text
'2024-01-01'::text::date
'x'::text::date
interval '1 day'::text
'2024-07-01 12:00+00'::timestamptz || ''
'2024-01-01 BC'::date
'0044-03-15 BC'::date + 1
'Jan 5, 2024'::date
'20240105'::date
'2024-01-05T10:11:12Z'::timestamptz
'10:11 PM'::time
timestamp '2024-01-01 00:00:00' + '1 hour'
'1 hour' + timestamp '2024-01-01 00:00:00'
timestamp '2024-01-01' + 1
date '2024-01-01' + date '2024-01-01'
current_date - current_date
current_timestamp - now()
localtimestamp - localtimestamp
date(timestamp '2024-01-01 10:00')
date('2024-01-01')
time '10:00' = '10:00'
time '10:00' BETWEEN '09:00' AND '11:00'
timestamp(0) '2024-01-01 10:00:00.6'
'2024-01-01'::date IS DISTINCT FROM '2024-01-01'
interval '1 day' IN ('24 hours', '2 days')
least(interval '1 day', interval '25 hours')
(date '2024-01-01', date '2024-02-01') OVERLAPS (date '2024-01-15', date '2024-03-01')
(timestamp '2024-01-01', interval '1 day') OVERLAPS (timestamp '2024-01-02', interval '1 day')
(timestamp '2024-01-02', timestamp '2024-01-01') OVERLAPS (timestamp '2024-01-01', interval '1 hour')
(timestamptz '2024-01-01', interval '1 day') OVERLAPS (timestamptz '2024-01-01 23:00', timestamptz '2024-01-05')
(time '10:00', time '11:00') OVERLAPS (time '10:30', interval '1 hour')
(timestamp '2024-01-01', NULL::timestamp) OVERLAPS (timestamp '2024-01-01', timestamp '2024-01-05')
(timestamp '2024-01-02', NULL::timestamp) OVERLAPS (timestamp '2024-01-01', timestamp '2024-01-05')
(NULL::timestamp, timestamp '2024-01-09') OVERLAPS (timestamp '2024-01-01', timestamp '2024-01-05')
(timestamp '2024-01-01', timestamp '2024-01-01') OVERLAPS (timestamp '2024-01-01', timestamp '2024-01-01')
