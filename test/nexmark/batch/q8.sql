-- Monitor new users: who opened an auction in the ten seconds in which they came.
SELECT DISTINCT P.id, P.name, date_bin('10 seconds', P.date_time, timestamp '1970-01-01') AS starttime
FROM person AS P
WHERE EXISTS (
    SELECT 1
    FROM auction AS A
    WHERE A.seller = P.id
        AND date_bin('10 seconds', A.date_time, timestamp '1970-01-01') = date_bin('10 seconds', P.date_time, timestamp '1970-01-01')
);
