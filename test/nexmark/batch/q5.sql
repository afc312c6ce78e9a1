-- Hot items: the auctions with most bids in the last ten seconds, every two seconds.
SELECT auction, num
FROM (
    SELECT auction, count(*) AS num, rank() OVER (PARTITION BY starttime ORDER BY count(*) DESC) AS place
    FROM (
        SELECT auction, date_bin('2 seconds', date_time, timestamp '1970-01-01') - hop * interval '2 seconds' AS starttime
        FROM bid, generate_series(0, 4) AS hop
    ) AS windows
    GROUP BY starttime, auction
) AS counts
WHERE place = 1;
