package postgres

import "testing"

func TestStreamDeliversRowChanges(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v text, big text)`, `ALTER TABLE a ALTER big SET STORAGE EXTERNAL`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	got := c.following("a", func() {
		exec(t, db, `INSERT INTO a VALUES (1, 'one', repeat('x', 5000)), (2, NULL, '')`,
			`UPDATE a SET v = 'uno' WHERE id = 1`, `UPDATE a SET id = 3 WHERE id = 2`, `DELETE FROM a WHERE id = 3`, `TRUNCATE a RESTART IDENTITY`)
	})
	expectLines(t, got,
		"S a default(1:id integer*!, 2:v text, 3:big text)",
		"I a (1,one,xxxxxxxx…5000)", "I a (2,~,)",
		"U a (1,uno,=)",
		"U a K(2,~,~) (3,~,)",
		"D a K(3,~,~)",
		"T a flags 2")
}
