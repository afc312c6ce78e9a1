-- Hot items: the auctions with most bids in the last ten seconds, every two seconds.
SELECT AuctionBids.auction, AuctionBids.num
FROM (
    SELECT auction, count(*) AS num, window_start AS starttime
    FROM HOP(bid, date_time, INTERVAL '2 seconds', INTERVAL '10 seconds')
    GROUP BY window_start, auction
) AS AuctionBids
JOIN (
    SELECT max(CountBids.num) AS maxn, CountBids.starttime
    FROM (
        SELECT count(*) AS num, window_start AS starttime
        FROM HOP(bid, date_time, INTERVAL '2 seconds', INTERVAL '10 seconds')
        GROUP BY auction, window_start
    ) AS CountBids
    GROUP BY CountBids.starttime
) AS MaxBids
ON AuctionBids.starttime = MaxBids.starttime AND AuctionBids.num >= MaxBids.maxn;
