-- Average price for a category: of the best bid of each auction.
SELECT Q.category, avg(Q.final) AS avg
FROM (
    SELECT max(B.price) AS final, A.category
    FROM auction AS A, bid AS B
    WHERE A.id = B.auction AND B.date_time BETWEEN A.date_time AND A.expires
    GROUP BY A.id, A.category
) AS Q
GROUP BY Q.category;
