-- Calculation.
SELECT
    auction,
    bidder,
    0.908 * price AS price,
    CASE
        WHEN date_time::time >= '08:00' AND date_time::time < '19:00' THEN 'dayTime'
        WHEN date_time::time < '07:00' OR date_time::time >= '20:00' THEN 'nightTime'
        ELSE 'otherTime'
    END AS bidtimetype,
    date_time,
    extra,
    regexp_count(extra, 'c') AS c_counts
FROM bid
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000;
