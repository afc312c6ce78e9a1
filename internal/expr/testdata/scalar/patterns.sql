'abc' LIKE 'a%'
'abc' LIKE '%c'
'abc' LIKE '%b%'
'abc' LIKE 'a_c'
'abc' LIKE 'abc'
'abc' LIKE 'ab'
'abc' LIKE '%'
'' LIKE '%'
'' LIKE '_'
'äbc' LIKE '_bc'
'a%c' LIKE 'a\%c'
'abc' LIKE 'a\%c'
'a%c' LIKE 'a#%c' ESCAPE '#'
'a\c' LIKE 'a\c' ESCAPE ''
'abc' NOT LIKE 'a%'
'ABC' ILIKE 'a%'
'ABC' NOT ILIKE 'a_c'
'abc' LIKE NULL
NULL LIKE 'a'
'abcabc' LIKE '%bc%a_c'
'abc' LIKE 'a%b%c%'
'a' LIKE 'aa' ESCAPE 'xx'
like_escape('a#%b\c', '#')
1 LIKE '1'
'abc'::char(5) LIKE 'abc'
'abc'::char(5) LIKE 'abc%'
'abc'::char(5) LIKE 'abc  '
'abc'::name LIKE 'a%'
'abc' SIMILAR TO 'abc'
'abc' SIMILAR TO 'a'
'abc' SIMILAR TO '%(b|d)%'
'abc' SIMILAR TO '(b|c)%'
'abc' SIMILAR TO 'a_c'
'a.c' SIMILAR TO 'a.c'
'abc' SIMILAR TO 'a.c'
'aab' SIMILAR TO 'a+b'
'ab' SIMILAR TO 'a{1}b'
'abc' NOT SIMILAR TO 'abc'
'a%' SIMILAR TO 'a#%' ESCAPE '#'
similar_to_escape('a%b_c\%d[a%]')
similar_to_escape('(ab|cd)+')
similar_to_escape('a#"b#"c', '#')
substring('abcdef' from 'a#"bcd#"ef' for '#')
substring('abcdefg' from 'a#"%#"g' for '#')
substring('foobar' similar '#"o_b#"%' escape '#')
substring('foobar' similar '%#"o_b#"%' escape '#')
'abc' ~ 'b'
'abc' ~ '^a.c$'
'abc' !~ 'b'
'ABC' ~* 'b'
'ABC' !~* 'b'
'abc' ~ '(b'
'abc' ~ 'b)'
'abc' ~ '[b'
'abc' ~ '*a'
'abc' ~ 'a**'
'abc' ~ 'a{2,1}'
'abc' ~ 'a{300}'
'abc' ~ 'a\'
'abc' ~ '[[:foo:]]'
'abc' ~ '[b-a]'
'abc' ~ '(?<x>a)'
'a{' ~ 'a{'
'abc' ~ '\q'
near 'aa' ~ '\1'
'abc' ~ ''
'a.c' ~ 'a\.c'
'foo bar' ~ '\mbar\M'
'foobar' ~ '\mbar\M'
'foo bar' ~ '[[:<:]]bar[[:>:]]'
'foo bar' ~ '\ybar\y'
'x1' ~ '\d'
'x' ~ '\D'
'a_b' ~ '^\w+$'
'a b' ~ '\s'
E'a\nb' ~ 'a.b'
E'a\nb' ~ '(?n)a.b'
E'a\nb' ~ '^b'
E'a\nb' ~ '(?w)^b'
'ABC' ~ '(?i)abc'
'a b' ~ '(?x)a\ b # comment'
'a+b' ~ '***=a+b'
'ab]' ~ '[]]'
'a-b' ~ '[a-]b'
'a]b' ~ '[^]]b'
'é' ~ '^.$'
'tab	x' ~ '\t'
'A' ~ '\x41'
'A' ~ '\u0041'
'a' ~ '[[.a.]]'
'ab' ~ 'a(?#comment)b'
'aaa' ~ '^a{2,3}$'
'aaa' ~ '^a{2,}$'
'aaa' ~ '^a{2}$'
substring('foobar' from 'o(.)b')
substring('foobar' from 'o.b')
substring('foobar' from 'x')
substring('XY1234Z' from 'Y*([0-9]{1,3})')
substring('XY1234Z' from 'Y*?([0-9]{1,3})')
regexp_match('abc123', '(.*?)(\d+)')
regexp_match('abc123', '(.*)(\d+)')
regexp_match('foobarbequebaz', '(bar)(beque)')
regexp_match('foobarbequebaz', 'bar.*que')
regexp_match('foo', 'x')
regexp_match('foo', 'x?')
regexp_match('abc', '(a)|(b)')
regexp_match('abc', 'b', 'g')
regexp_match('ABC', '(b)', 'i')
regexp_match('a,b', '([^,]*),(.*)')
regexp_match('a"b', '(.*)')
regexp_match('abcd', '(a|ab)(c|bcd)')
regexp_match('channel_id=5&x=1', '(&|^)channel_id=([^&]*)')
regexp_match('http://x/?a=1&channel_id=52&x=1', '(&|^)channel_id=([^&]*)')
regexp_match('http://x/?a=1&channel_id=', '(&|^)channel_id=([^&]*)')
regexp_match('http://x/?xchannel_id=1', '(&|^)channel_id=([^&]*)')
(regexp_match('http://x/?a=1&channel_id=52&x=1', '(&|^)channel_id=([^&]*)'))[2]
regexp_match('a=1;b=2', 'b=([0-9]+)')
regexp_match('b=x b=12', 'b=([0-9]+)')
regexp_match('key: val;', 'key: *([a-z]+);')
regexp_replace('foobarbaz', 'b..', 'X')
regexp_replace('foobarbaz', 'b..', 'X', 'g')
regexp_replace('foobarbaz', 'b(..)', 'X\1Y', 'g')
regexp_replace('foobarbaz', 'b(..)', '[\&]', 'g')
regexp_replace('foo', 'o', '\\', 'g')
regexp_replace('foo', 'o', '\q', 'g')
regexp_replace('foo', 'o', 'x\')
regexp_replace('foo', '(x)?o', '[\1]')
regexp_replace('baaac', 'a*', 'X', 'g')
regexp_replace('abc', '', '-', 'g')
regexp_replace('abc', '$', '-', 'g')
regexp_replace('aaa', '^a', 'X', 'g')
regexp_replace('FOO', 'o', 'x', 'gi')
regexp_replace('foo', 'o', 'x', 'k')
regexp_replace('foo', 'o', 'x', '1')
regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 0, 'i')
regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 3, 'i')
regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 5)
regexp_replace('aaa', '^a', 'X', 2)
regexp_replace('abc', 'b', 'X', 0)
regexp_replace('abc', 'b', 'X', 1, -1)
regexp_split_to_array('hello  world', '\s+')
regexp_split_to_array('hello', '')
regexp_split_to_array('baaac', 'a*')
regexp_split_to_array('abc', 'x')
regexp_split_to_array('abc', 'b', 'g')
regexp_split_to_array(',a,', ',')
regexp_count('abcabc', 'b')
regexp_count('abcabc', 'b', 3)
regexp_count('ABCABC', 'b', 1, 'i')
regexp_count('baaac', 'a*')
regexp_count('abc', 'b', 0)
regexp_instr('abcabc', 'c')
regexp_instr('abcabc', 'c', 1, 2)
regexp_instr('abcabc', 'c', 1, 2, 1)
regexp_instr('ABC', '(b)(c)', 1, 1, 0, 'i', 2)
regexp_instr('abc', 'x')
regexp_instr('abc', 'c', 1, 1, 2)
regexp_like('abc', 'B')
regexp_like('abc', 'B', 'i')
regexp_like('abc', 'B', 'g')
regexp_substr('abcabc', 'b.')
regexp_substr('abcabc', 'b.', 3)
regexp_substr('abcabc', 'b.', 1, 2)
regexp_substr('ABC', '(b)(c)', 1, 1, 'i', 2)
regexp_substr('abc', 'x')
regexp_substr('baaac', 'a*', 1, 3)
(regexp_match('a=1;b=2', '(.)=(.)'))[1]
(regexp_match('a=1;b=2', '(.)=(.)'))[0]
(regexp_match('a=1;b=2', '(.)=(.)'))[3]
(regexp_match('a=1;b=2', 'b=.'))[1]
(regexp_match('a=1;b=2', 'b=.'))[2]
(regexp_match('a=1;b=2', '(x)?b'))[1]
(regexp_match('a=1;b=2', 'x'))[1]
(regexp_match('A=1', 'a', 'i'))[1]
(regexp_match('A=1', 'a', 'g'))[1]
'channel_id=12' LIKE '%_id=1%'
'xäöüchannel-id=12' LIKE '%channel_id=1%'
