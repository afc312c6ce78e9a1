-- Auction top 10: of its bids by price. The other columns end the order, so that ties
-- are not left open.
SELECT top.*
FROM (SELECT DISTINCT auction FROM bid) AS A,
    LATERAL (
        SELECT B.*, row_number() OVER (ORDER BY price DESC, date_time, bidder, channel, url, extra) AS rank_number
        FROM bid AS B
        WHERE B.auction = A.auction
        ORDER BY rank_number
        LIMIT 10
    ) AS top;
