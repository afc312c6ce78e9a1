-- Expand bid with auction.
SELECT
    B.auction, B.bidder, B.price, B.channel, B.url, B.date_time AS bid_date_time, B.extra AS bid_extra,
    A.item_name, A.description, A.initial_bid, A.reserve, A.date_time AS auction_date_time, A.expires, A.seller, A.category,
    A.extra AS auction_extra
FROM (SELECT * FROM auction WHERE category = 10) AS A, bid AS B
WHERE A.id = B.auction;
