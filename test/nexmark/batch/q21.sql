-- Add channel id.
SELECT auction, bidder, price, channel, channel_id
FROM (
    SELECT
        *,
        coalesce(
            (array_position(ARRAY['apple', 'google', 'facebook', 'baidu'], lower(channel)) - 1)::text,
            substring(url from '(?:&|^)channel_id=([^&]*)')
        ) AS channel_id
    FROM bid
) AS B
WHERE channel_id IS NOT NULL;
