-- Persons, two of whom open an auction in the window in which they come.
INSERT INTO person VALUES
    (1000, 'Ana Shultz',  'a@x.com', '1111 2222 3333 4444', 'Portland', 'OR', '2015-07-15 00:00:01',     'e1'),
    (1001, 'Bo Abrams',   'b@x.com', '1111 2222 3333 4445', 'Boise',    'ID', '2015-07-15 00:00:08.5',   'e2'),
    (1002, 'Cy Walton',   'c@x.com', '1111 2222 3333 4446', 'Seattle',  'WA', '2015-07-15 00:00:12',     'e3'),
    (1003, 'Di Noris',    'd@x.com', '1111 2222 3333 4447', 'Phoenix',  'AZ', '2015-07-15 00:00:25',     'e4');

-- Auctions: one that nobody bids on, one whose bids all come too late, one whose seller is unknown.
INSERT INTO auction VALUES
    (1107, 'lamp',   'a lamp',   100,  200,  '2015-07-15 00:00:02',    '2015-07-15 00:00:20', 1000, 10, 'x1'),
    (1108, 'vase',   'a vase',   50,   90,   '2015-07-15 00:00:03',    '2015-07-15 00:00:30', 1000, 11, 'x2'),
    (1109, 'chair',  'a chair',  1000, 5000, '2015-07-15 00:00:09',    '2015-07-15 00:00:12', 1001, 10, 'x3'),
    (1110, 'clock',  'a clock',  10,   20,   '2015-07-15 00:00:12',    '2015-07-15 00:00:40', 1002, 12, 'x4'),
    (1230, 'ring',   'a ring',   10,   20,   '2015-07-15 00:00:31',    '2015-07-15 00:00:32', 1003, 10, 'x5'),
    (1231, 'globe',  'a globe',  10,   20,   '2015-07-15 00:00:31',    '2015-07-15 00:00:59', 1999, 10, 'x6');

-- Bids: equal prices and times, a bid at each end of a window, late ones, twins, two days.
INSERT INTO bid VALUES
    (1107, 1001, 150,      'Google',       'https://www.nexmark.com/a_b/c/d/item.htm?query=1',                    '2015-07-15 00:00:03',      'cc'),
    (1107, 1002, 300,      'Apple',        'https://www.nexmark.com/a_b/c/e/item.htm?query=1',                    '2015-07-15 00:00:04',      'abc'),
    (1107, 1002, 300,      'Apple',        'https://www.nexmark.com/a_b/c/e/item.htm?query=1',                    '2015-07-15 00:00:04',      'abc'),
    (1107, 1001, 300,      'channel-17',   'https://www.nexmark.com/f/g/h/item.htm?query=1&channel_id=4711',      '2015-07-15 00:00:04',      'xyz'),
    (1107, 1001, 900,      'Baidu',        'https://www.nexmark.com/f/g/h/item.htm?query=1',                      '2015-07-15 00:00:25',      'too late'),
    (1108, 1001, 2000000,  'channel-9',    'https://www.nexmark.com/f/g/i/item.htm?query=1',                      '2015-07-15 00:00:09.999',  'c'),
    (1108, 1003, 2000000,  'Facebook',     'https://www.nexmark.com/f/g/i/item.htm?query=1',                      '2015-07-15 00:00:10',      ''),
    (1108, 1003, 100,      'channel-9',    'https://www.nexmark.com/f/g/i/item.htm?query=1&channel_id=0',         '2015-07-15 00:00:20',      'ccc'),
    (1109, 1000, 6000,     'google',       'https://www.nexmark.com/j/k/l/item.htm?query=1',                      '2015-07-15 00:00:11',      'x'),
    (1109, 1002, 7000,     'Google',       'https://www.nexmark.com/j/k/l/item.htm?query=1',                      '2015-07-15 00:00:12',      'in time'),
    (1110, 1000, 1500000,  'Apple',        'https://www.nexmark.com/m/n/o/item.htm?query=1',                      '2015-07-15 00:00:13',      'cccc'),
    (1110, 1000, 40000000, 'channel-17',   'https://www.nexmark.com/m/n/o/item.htm?query=1&channel_id=4711',      '2015-07-15 07:30:00',      'early c'),
    (1110, 1001, 90000000, 'channel-17',   'https://www.nexmark.com/m/n/o/item.htm?channel_id=4711&query=1',      '2015-07-15 12:00:00',      'noon c'),
    (1230, 1000, 500,      'Baidu',        'https://www.nexmark.com/p/q/r/item.htm?query=1',                      '2015-07-15 00:00:33',      'too late'),
    (1230, 1002, 1200000,  'channel-3',    'https://www.nexmark.com/p',                                           '2015-07-16 19:00:00',      'next day'),
    (1230, 1002, 1200000,  'channel-3',    '',                                                                    '2015-07-16 20:00:00',      'night c'),
    (9999, 1002, 1,        'Apple',        'https://www.nexmark.com/s/t/u/item.htm?query=1',                      '2015-07-16 23:59:59.999',  'no such auction');

-- Twelve bids on one auction, for the first ten of them.
INSERT INTO bid
    SELECT 1108, 1000 + n % 4, 500 + n / 2, 'channel-' || n, 'https://www.nexmark.com/v/w/x/item.htm?query=1&channel_id=' || n,
        timestamp '2015-07-15 00:00:15' + n * interval '0.1 second', repeat('c', n)
    FROM generate_series(1, 12) AS n;
