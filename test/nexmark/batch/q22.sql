-- Get URL directories.
SELECT
    auction, bidder, price, channel,
    coalesce(parts[4], '') AS dir1,
    coalesce(parts[5], '') AS dir2,
    coalesce(parts[6], '') AS dir3
FROM (SELECT *, string_to_array(url, '/') AS parts FROM bid) AS B;
