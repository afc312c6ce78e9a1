-- Winning bids. The bidder ends the order, so that ties are not left open.
SELECT
    id, item_name, description, initial_bid, reserve, date_time, expires, seller, category,
    auction, bidder, price, bid_date_time
FROM (
    SELECT
        A.id, A.item_name, A.description, A.initial_bid, A.reserve, A.date_time, A.expires, A.seller, A.category,
        B.auction, B.bidder, B.price, B.date_time AS bid_date_time,
        row_number() OVER (PARTITION BY A.id ORDER BY B.price DESC, B.date_time ASC, B.bidder ASC) AS rownum
    FROM auction AS A, bid AS B
    WHERE A.id = B.auction AND B.date_time BETWEEN A.date_time AND A.expires
) AS tmp
WHERE rownum <= 1;
