-- Find the last bid of each bidder on each auction. The other columns end the order,
-- so that ties are not left open.
SELECT auction, bidder, price, channel, url, date_time, extra
FROM (
    SELECT
        *,
        row_number() OVER (PARTITION BY bidder, auction ORDER BY date_time DESC, price, channel, url, extra) AS rank_number
    FROM bid
) AS ranked
WHERE rank_number <= 1;
