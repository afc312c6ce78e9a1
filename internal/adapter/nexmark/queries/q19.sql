-- Auction top 10: of its bids by price. The other columns end the order, so that ties
-- are not left open.
SELECT auction, bidder, price, channel, url, date_time, extra, rank_number
FROM (
    SELECT
        *,
        row_number() OVER (PARTITION BY auction ORDER BY price DESC, date_time, bidder, channel, url, extra) AS rank_number
    FROM bid
) AS ranked
WHERE rank_number <= 10;
