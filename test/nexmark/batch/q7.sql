-- Highest bid: of each ten seconds. A bid at a window's end is in the range of two.
WITH highest AS (
    SELECT DISTINCT ON (1) date_bin('10 seconds', date_time, timestamp '1970-01-01') AS starts, price
    FROM bid
    ORDER BY 1, price DESC
)
SELECT B.auction, B.price, B.bidder, B.date_time, B.extra
FROM bid AS B, highest AS H
WHERE B.price = H.price AND B.date_time >= H.starts AND B.date_time <= H.starts + interval '10 seconds';
