-- Winning bids. The bidder ends the order, so that ties are not left open.
SELECT DISTINCT ON (A.id)
    A.id, A.item_name, A.description, A.initial_bid, A.reserve, A.date_time, A.expires, A.seller, A.category,
    B.auction, B.bidder, B.price, B.date_time AS bid_date_time
FROM auction AS A JOIN bid AS B ON B.auction = A.id AND B.date_time >= A.date_time AND B.date_time <= A.expires
ORDER BY A.id, B.price DESC, B.date_time, B.bidder;
