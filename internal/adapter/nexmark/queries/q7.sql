-- Highest bid: of each ten seconds. A bid at a window's end is in the range of two.
SELECT B.auction, B.price, B.bidder, B.date_time, B.extra
FROM bid AS B
JOIN (
    SELECT max(price) AS maxprice, window_end AS date_time
    FROM TUMBLE(bid, date_time, INTERVAL '10 seconds')
    GROUP BY window_end
) AS B1
ON B.price = B1.maxprice
WHERE B.date_time BETWEEN B1.date_time - INTERVAL '10 seconds' AND B1.date_time;
