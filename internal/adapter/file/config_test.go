package file

import (
	"os"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/weirerr"
)

func TestParse(t *testing.T) {
	c, err := Parse("file:///srv/out/?file_size=1GiB&file_age=1h&file_commits=7&resolved=3s&mode=0644&schemas=true&decimal=string&interval=string&format=debezium-json")
	if err != nil || c.Dir != "/srv/out" || c.FileBytes != 1<<30 || c.FileAge != time.Hour || c.FileCommits != 7 || c.Resolved != 3*time.Second ||
		c.Mode != 0o644 || !c.Encoding.Schemas || c.Encoding.Decimal != "string" || c.Encoding.Interval != "string" {
		t.Errorf("got %+v, %v", c, err)
	}
	c, err = Parse("file:///srv/out")
	if err != nil || c.FileBytes != 64<<20 || c.FileAge != 0 || c.Resolved != 10*time.Second || c.Mode != 0o640 {
		t.Errorf("defaults %+v, %v", c, err)
	}
	for _, uri := range []string{
		"file://out", "file:out", "http:///srv", "file://user:pw@/srv", "file:///srv?format=avro", "file:///srv?file_size=1", "file:///srv?file_size=x",
		"file:///srv?file_size=9999999999GiB", "file:///srv?file_age=-1s", "file:///srv?file_commits=0", "file:///srv?resolved=soon", "file:///srv?mode=999",
		"file:///srv?mode=400", "file:///srv?schemas=maybe", "file:///srv?decimal=exact", "file:///srv?interval=x", "file:///srv?filesize=1MiB", "file:///%zz", "file:///srv?a=%zz",
	} {
		if c, err := Parse(uri); weirerr.CodeOf(err) != weirerr.TargetConfig {
			t.Errorf("Parse(%q) = %+v, %v", uri, c, err)
		}
	}
}

func TestCheckMakesTheDirectoryAndLeavesNoFile(t *testing.T) {
	c, err := Parse("file://" + t.TempDir() + "/a/b")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	if c, err = Parse("file:///dev/null/x"); err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); weirerr.CodeOf(err) != weirerr.TargetConfig {
		t.Errorf("below a file: %v", err)
	}
}

func TestChangefeedNamesStayInTheirDirectory(t *testing.T) {
	for name, want := range map[string]string{
		"cf1": "/d/cf1/incarnation-2/lane-0", "a/../b": "/d/a%2F..%2Fb/incarnation-2/lane-0",
	} {
		if got, err := laneDir("/d", name, 2, 0); err != nil || got != want {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"", ".", ".."} {
		if got, err := laneDir("/d", name, 2, 0); err == nil {
			t.Errorf("%q: %s", name, got)
		}
	}
}
