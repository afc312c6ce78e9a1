-- Average price for a category: of the best bid of each auction.
SELECT A.category, avg(best.price) AS avg
FROM (SELECT DISTINCT id, category FROM auction) AS A,
    LATERAL (
        SELECT B.price
        FROM bid AS B, auction AS S
        WHERE S.id = A.id AND S.category = A.category AND B.auction = S.id AND B.date_time >= S.date_time AND B.date_time <= S.expires
        ORDER BY B.price DESC
        LIMIT 1
    ) AS best
GROUP BY A.category;
