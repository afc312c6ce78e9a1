-- Find the last bid of each bidder on each auction. The other columns end the order,
-- so that ties are not left open.
SELECT DISTINCT ON (bidder, auction) auction, bidder, price, channel, url, date_time, extra
FROM bid
ORDER BY bidder, auction, date_time DESC, price, channel, url, extra;
