-- Local item suggestion.
SELECT P.name, P.city, P.state, A.id
FROM person AS P, auction AS A
WHERE P.id = A.seller AND P.state IN ('OR', 'ID', 'CA') AND A.category = 10;
