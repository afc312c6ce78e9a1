package metastore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weirstream/weir/internal/lsm"
	"github.com/weirstream/weir/internal/weirerr"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t *testing.T, s *Store, key string, value any) {
	t.Helper()
	if err := s.Update(func(tx *Tx) error { return tx.Put(key, value) }); err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, what string, err error, code weirerr.Code) {
	t.Helper()
	if weirerr.CodeOf(err) != code {
		t.Errorf("%s: error %v, want %s", what, err, code)
	}
}

type thing struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

func TestReadsAndWrites(t *testing.T) {
	s := open(t, t.TempDir())
	big := thing{"weird\x00name é", 1<<64 - 1}
	put(t, s, "a/1/x", big)
	put(t, s, "a/10/x", thing{"ten", 10})
	var got thing
	if ok, err := s.Get("a/1/x", &got); !ok || err != nil || got != big {
		t.Errorf("got %+v, %v, %v", got, ok, err)
	}
	if ok, err := s.Get("a/1/", &got); ok || err != nil {
		t.Errorf("absent key: %v, %v", ok, err)
	}
	var n int
	_, err := s.Get("a/1/x", &n)
	wantCode(t, "value of another form", err, weirerr.StoreCorrupt)
	wantCode(t, "value without JSON", s.Update(func(tx *Tx) error { return tx.Put("c", make(chan int)) }), weirerr.InvalidArgument)
	if keys := keysUnder(t, s, "a/1/"); !slices.Equal(keys, []string{"a/1/x"}) {
		t.Errorf("under a/1/: %q", keys)
	}
	put(t, s, "\xff\xff", 1)
	put(t, s, "", 1)
	if keys := keysUnder(t, s, "\xff"); !slices.Equal(keys, []string{"\xff\xff"}) {
		t.Errorf("under ff: %q", keys)
	}
	if keys := keysUnder(t, s, ""); !slices.Equal(keys, []string{"", "a/1/x", "a/10/x", "\xff\xff"}) {
		t.Errorf("all: %q", keys)
	}
	stop := errors.New("stop")
	if err := s.Scan("", func(string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("scan returned %v", err)
	}
}

func keysUnder(t *testing.T, s *Store, prefix string) (keys []string) {
	t.Helper()
	if err := s.Scan(prefix, func(key string, _ []byte) error { keys = append(keys, key); return nil }); err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestUpdateSeesItsWritesAndIsAllOrNothing(t *testing.T) {
	s := open(t, t.TempDir())
	put(t, s, "k/a", 1)
	put(t, s, "k/b", 2)
	refuse := errors.New("refuse")
	body := func(tx *Tx) error {
		if err := errors.Join(tx.Put("k/c", 3), tx.Delete("k/a"), tx.Put("k/b", 20)); err != nil {
			return err
		}
		var n int
		if ok, err := tx.Get("k/a", &n); ok || err != nil {
			t.Errorf("deleted key inside: %v, %v", ok, err)
		}
		if ok, err := tx.Get("k/b", &n); !ok || err != nil || n != 20 {
			t.Errorf("written key inside: %d, %v, %v", n, ok, err)
		}
		var seen []string
		err := tx.Scan("k/", func(key string, _ []byte) error {
			seen = append(seen, key)
			return tx.Delete(key)
		})
		if !slices.Equal(seen, []string{"k/b", "k/c"}) || err != nil {
			t.Errorf("scan inside: %q, %v", seen, err)
		}
		return refuse
	}
	version := s.Version()
	if err := s.Update(body); err != refuse {
		t.Errorf("update returned %v", err)
	}
	if keys := keysUnder(t, s, "k/"); !slices.Equal(keys, []string{"k/a", "k/b"}) || s.Version() != version {
		t.Errorf("after a refused update: %q, version %d, want %d", keys, s.Version(), version)
	}
	refuse = nil
	if err := s.Update(body); err != nil {
		t.Error(err)
	}
	if keys := keysUnder(t, s, "k/"); len(keys) != 0 || s.Version() != version+1 {
		t.Errorf("after the update: %q, version %d, want %d", keys, s.Version(), version+1)
	}
	if err := s.Update(func(*Tx) error { return nil }); err != nil || s.Version() != version+1 {
		t.Errorf("an update that writes nothing: version %d, want %d, error %v", s.Version(), version+1, err)
	}
}

// TestConcurrentCompareAndSet counts with many writers: lost updates would show.
func TestConcurrentCompareAndSet(t *testing.T) {
	s := open(t, t.TempDir())
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for range each {
				err := s.Update(func(tx *Tx) error {
					var n int
					if _, err := tx.Get("n", &n); err != nil {
						return err
					}
					return errors.Join(tx.Put("n", n+1), tx.Put(fmt.Sprintf("w/%d", w), n+1))
				})
				var n, sum int
				if _, err2 := s.Get("n", &n); err != nil || err2 != nil {
					t.Error(err, err2)
				}
				_ = s.Scan("w/", func(key string, raw []byte) error { sum++; return Decode(key, raw, &n) })
			}
		})
	}
	wg.Wait()
	var n int
	if _, err := s.Get("n", &n); err != nil || n != writers*each || s.Version() != writers*each {
		t.Errorf("counted %d at version %d, want %d; error %v", n, s.Version(), writers*each, err)
	}
}

// TestCrash cuts the power again and again at random places of a stream of
// updates of several keys: what was reported is there, and never half of one.
func TestCrash(t *testing.T) {
	disk := vfs.NewCrashableMem()
	if err := lsm.MakeDir(disk, "/store"); err != nil {
		t.Fatal(err)
	}
	s, err := openOn(disk, "/store", quiet())
	if err != nil {
		t.Fatal(err)
	}
	var confirmed sync.Map // only its "n" is used: the newest update reported done
	confirmed.Store("n", 0)
	done := make(chan error, 1)
	stop := make(chan struct{})
	go func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			err := s.Update(func(tx *Tx) error {
				for i := range 5 {
					if err := tx.Put(fmt.Sprintf("k/%d/%d", n%40, i), n); err != nil {
						return err
					}
				}
				return tx.Put("n", n)
			})
			if err != nil {
				done <- err
				return
			}
			confirmed.Store("n", n)
		}
	}()
	for crash := range 25 {
		lowest, _ := confirmed.Load("n")
		for n := lowest; n == lowest && len(done) == 0; n, _ = confirmed.Load("n") {
			runtime.Gosched() // let it get on
		}
		lowest, _ = confirmed.Load("n")
		clone := disk.CrashClone(vfs.CrashCloneCfg{})
		checkClone(t, crash, clone, lowest.(int))
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func checkClone(t *testing.T, crash int, disk vfs.FS, lowest int) {
	t.Helper()
	s, err := openOn(disk, "/store", quiet())
	if err != nil {
		t.Fatalf("crash %d: %v", crash, err)
	}
	defer s.Close()
	var n int
	if _, err := s.Get("n", &n); err != nil || n < lowest || s.Version() != uint64(n) {
		t.Fatalf("crash %d: update %d, version %d, at least %d was reported; error %v", crash, n, s.Version(), lowest, err)
	}
	counts := map[int]int{}
	if err := s.Scan("k/", func(key string, raw []byte) error {
		var of int
		err := Decode(key, raw, &of)
		counts[of]++
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for of, count := range counts {
		if count != 5 || of > n {
			t.Fatalf("crash %d: %d keys of update %d at %d, want all 5", crash, count, of, n)
		}
	}
}

func TestReopenAndWitness(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "meta")
	s := open(t, dir)
	put(t, s, "a", 1)
	put(t, s, "a", 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	older := filepath.Join(t.TempDir(), "older")
	if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	put(t, s, "a", 3)
	seen := s.Version()
	if err := s.CheckWitness(seen); err != nil || seen != 3 {
		t.Fatalf("version %d: %v", seen, err)
	}
	old := open(t, older)
	wantCode(t, "an older copy", old.CheckWitness(seen), weirerr.StoreBehind)
	wantCode(t, "an empty store", open(t, t.TempDir()).CheckWitness(1), weirerr.StoreBehind)
}

func TestFormatTooNew(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := s.db.Set(formatKey, binary.BigEndian.AppendUint64(nil, Format+1), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the refusal must leave no lock behind
		_, err := Open(dir, quiet())
		wantCode(t, "newer format", err, weirerr.FormatTooNew)
	}
}

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	_, err := Open(dir, quiet())
	wantCode(t, "open twice", err, weirerr.DataDirLocked)
	if os.Getenv("WEIR_TEST_OPEN") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelperOpen$")
		cmd.Env = append(os.Environ(), "WEIR_TEST_OPEN="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("another process: %v\n%s", err, out)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

// TestHelperOpen is the other process of TestLocked.
func TestHelperOpen(t *testing.T) {
	dir := os.Getenv("WEIR_TEST_OPEN")
	if dir == "" {
		t.Skip("runs in the other process of TestLocked")
	}
	_, err := Open(dir, quiet())
	wantCode(t, "open in another process", err, weirerr.DataDirLocked)
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "meta")
	s := open(t, dir)
	put(t, s, "a", 1)
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else if d.Name() == "LOCK" {
			return err // empty; Pebble creates it behind the file system's back
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", d.Name(), info.Mode())
		}
		files++
		return err
	})
	if err != nil || files < 4 {
		t.Errorf("%d files: %v", files, err)
	}
}

func TestCorruption(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, "a", "some value that takes a few bytes")
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	tables, _ := filepath.Glob(filepath.Join(dir, "*.sst"))
	if len(tables) == 0 {
		t.Fatal("no table to damage")
	}
	for _, path := range tables {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		raw[5] ^= 1
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(dir, quiet())
	if err == nil {
		defer s.Close()
		var v string
		_, err = s.Get("a", &v)
	}
	wantCode(t, "a flipped bit", err, weirerr.StoreCorrupt)
}

// full is a disk with little room.
type full struct {
	vfs.FS
	free uint64
}

func (f *full) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: f.free}, nil
}

func TestDiskFullRefusesAndGoesOn(t *testing.T) {
	disk := &full{vfs.NewMem(), 1 << 40}
	if err := lsm.MakeDir(disk, "/store"); err != nil {
		t.Fatal(err)
	}
	s, err := openOn(disk, "/store", quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put(t, s, "a", 1)
	disk.free = reserve - 1
	wantCode(t, "a full disk", s.Update(func(tx *Tx) error { return tx.Put("a", 2) }), weirerr.LogFull)
	disk.free = reserve
	put(t, s, "a", 3)
}

func TestClosed(t *testing.T) {
	s := open(t, t.TempDir())
	put(t, s, "a", 1)
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	var n int
	_, err := s.Get("a", &n)
	wantCode(t, "Get", err, weirerr.OwnerClosed)
	wantCode(t, "Scan", s.Scan("", nil), weirerr.OwnerClosed)
	wantCode(t, "Update", s.Update(nil), weirerr.OwnerClosed)
}
