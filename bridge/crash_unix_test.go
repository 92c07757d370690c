//go:build linux || darwin

package bridge

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// crashVariable says at which call of the disk, and where in it, a process
// kills itself: "7 before", "7 half". "0" only lists the calls.
const crashVariable = "KORU_TEST_CRASH"

// durable is a session that writes all that a session can: a definition, another
// in its place, mints and discharges, several in one reply.
var durable = []string{
	packSource,
	`unlock(door: "north") | opened r |>`,
	`pack(room: r1, crate: "C1") | stowed |> | full |>`,
	"tor pack { room: string, crate: string } | stowed | full string\npack = stow(crate, room)",
	"unlock(door: \"south\") | opened r |>\nunlock(door: \"west\") | opened w |>\nrelease(r: r3)",
	`seal(room: r1)`,
}

// crash ends the process at a call of the disk.
type crash struct {
	calls, at int
	where     string
}

// stand takes the place of the disk.
func (c *crash) stand() {
	real := disk
	disk.create = func(root *os.Root, name string) (*os.File, error) {
		c.reach("create "+name, nil)
		return real.create(root, name)
	}
	disk.write = func(file *os.File, data []byte) (int, error) {
		c.reach("write "+filepath.Base(file.Name()), func() { real.write(file, data[:len(data)/2]) })
		return real.write(file, data)
	}
	disk.sync = func(file *os.File) error {
		c.reach("sync "+filepath.Base(file.Name()), nil)
		return real.sync(file)
	}
	disk.truncate = func(file *os.File, size int64) error {
		c.reach("truncate "+filepath.Base(file.Name()), nil)
		return real.truncate(file, size)
	}
	disk.rename = func(root *os.Root, from, to string) error {
		c.reach("rename "+from, nil)
		return real.rename(root, from, to)
	}
	disk.remove = func(root *os.Root, name string) error {
		c.reach("remove "+name, nil)
		return real.remove(root, name)
	}
}

func (c *crash) reach(call string, half func()) {
	c.calls++
	if c.at == 0 {
		fmt.Println("call", call)
	}
	if c.calls != c.at {
		return
	}
	if c.where == "half" {
		half()
	}
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// crashes runs a test of this package in a process of its own once for every
// call of the disk that its part makes, and kills that process there: before the
// call and, if it writes, halfway through. prepare makes the world, survive
// looks at what is left of it and at what the process has printed.
func crashes(t *testing.T, prepare func(dir string), survive func(t *testing.T, dir, printed string)) {
	t.Helper()
	run := func(at string) (dir, printed string, err error) {
		dir = t.TempDir()
		prepare(dir)
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), crashVariable+"="+at, worldVariable+"="+dir)
		out, err := cmd.Output()
		return dir, string(out), err
	}
	_, printed, err := run("0 -")
	if err != nil {
		t.Fatalf("without a crash: %v\n%s", err, printed)
	}
	n := 0
	for line := range strings.Lines(printed) {
		call, ok := strings.CutPrefix(line, "call ")
		if !ok {
			continue
		}
		n++
		places := []string{"before"}
		if strings.HasPrefix(call, "write") {
			places = append(places, "half")
		}
		for _, where := range places {
			t.Run(fmt.Sprintf("%s %s (call %d)", where, strings.TrimSpace(call), n), func(t *testing.T) {
				dir, printed, err := run(fmt.Sprint(n, " ", where))
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
					t.Fatalf("the process ended by itself: %v\n%s", err, printed)
				}
				survive(t, dir, printed)
			})
		}
	}
	if n < 5 {
		t.Errorf("only %d calls: the test sees nothing", n)
	}
}

// crashing returns the crash that this process is to have, or nil in the parent.
func crashing() *crash {
	c := &crash{}
	if n, _ := fmt.Sscan(os.Getenv(crashVariable), &c.at, &c.where); n != 2 {
		return nil
	}
	return c
}

// kept is what a world holds.
type kept struct {
	ledger      string
	definitions map[string]string
}

func keptIn(t *testing.T, dir string) kept {
	t.Helper()
	k := kept{definitions: map[string]string{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch {
		case e.Name() == ledgerName:
			k.ledger = readFile(t, dir, ledgerName)
		case filepath.Ext(e.Name()) == ".k":
			k.definitions[e.Name()] = readFile(t, dir, e.Name())
		}
	}
	return k
}

// Killed before or within any write, sync or rename, a session leaves what it
// has acknowledged, and of the reply at hand a beginning of what that would have
// left, and nothing else. The next mount names the torn line and the draft; the
// next session holds nothing and goes on.
func TestKilledInWrites(t *testing.T) {
	openDurable := func(dir string) *room {
		return openPantry(t, inWorld(dir, "a"), func(o *Options) { o.Sync = true })
	}
	if c := crashing(); c != nil {
		c.stand()
		r := openDurable(os.Getenv(worldVariable))
		for _, reply := range durable {
			r.send(reply)
			fmt.Println("done")
		}
		r.Close()
		return
	}
	dir := t.TempDir()
	r := openDurable(dir)
	states := []kept{keptIn(t, dir)} // after so many replies; the last is that of the close
	for _, reply := range durable {
		r.send(reply)
		states = append(states, keptIn(t, dir))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	states = append(states, keptIn(t, dir))
	if final := states[len(states)-1]; strings.Count(final.ledger, "\n") != 6 || len(final.definitions) != 1 {
		t.Fatalf("the script leaves %+v", final)
	}

	crashes(t, func(string) {}, func(t *testing.T, dir, printed string) {
		k := strings.Count(printed, "done\n")
		got, before, after := keptIn(t, dir), states[k], states[k+1]
		if !strings.HasPrefix(got.ledger, before.ledger) || !strings.HasPrefix(after.ledger, got.ledger) {
			t.Errorf("after %d replies the ledger holds\n%sacknowledged were\n%sand to come\n%s", k, got.ledger, before.ledger, after.ledger)
		}
		if !maps.Equal(got.definitions, before.definitions) && !maps.Equal(got.definitions, after.definitions) {
			t.Errorf("after %d replies: %q", k, got.definitions)
		}
		whole := got.ledger[:strings.LastIndexByte(got.ledger, '\n')+1]
		torn := got.ledger[len(whole):]
		var said []string
		if torn != "" {
			said = append(said, worldNotice(fmt.Sprintf("holds.log: the last line was torn (line %d, byte %d, %d bytes); it is kept in holds.log.torn-1",
				strings.Count(whole, "\n")+1, len(whole), len(torn))))
		}
		if _, err := os.Stat(filepath.Join(dir, ".pack.k.draft")); err == nil {
			said = append(said, worldNotice(".pack.k.draft: an interrupted write left this draft; it was never installed and is removed"))
		}

		next := openPantry(t, inWorld(dir, "b"))
		defer next.Close()
		if diff := cmp.Diff(strings.Join(append(said, ""), "\n"), next.log.String()); diff != "" {
			t.Errorf("the mount says (-want +got)\n%s", diff)
		}
		if torn != "" && readFile(t, dir, "holds.log.torn-1") != torn {
			t.Errorf("the torn line became %q", readFile(t, dir, "holds.log.torn-1"))
		}
		if text := readFile(t, dir, ledgerName); text != whole {
			t.Errorf("the mount left %q of the ledger", text)
		}
		if len(next.Held()) > 0 || (next.Words().Verb("pack") != nil) != (len(got.definitions) == 1) {
			t.Errorf("the next session holds %v and knows %v", next.Held(), next.Words().Defined)
		}
		if turn := next.send(`unlock(door: "north") | opened r |> seal(room: r)`); turn.Tier != TierResult {
			t.Error(report(turn))
		}
		if s, err := ReadLedger(dir); err != nil || s.Torn != nil || s.Damage != nil || s.Stray != nil {
			t.Errorf("in the end: %+v, %v", s, err)
		}
	})
}

// Killed while it sets a torn line aside, a mount leaves all of the line
// somewhere, and the next one finishes the work.
func TestKilledWhileMending(t *testing.T) {
	const torn = `{"op":"discharge","session_id":"a","id":1,"han`
	if c := crashing(); c != nil {
		c.stand()
		w, err := Mount(os.Getenv(worldVariable), true)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		return
	}
	prepare := func(dir string) {
		writeTree(t, dir, map[string]string{ledgerName: mintLine + torn, ".pack.k.draft": "tor pa", "staged/.x.json.draft": "{"})
	}
	crashes(t, prepare, func(t *testing.T, dir, _ string) {
		mustMount(t, dir)
		if got := readFile(t, dir, ledgerName); got != mintLine {
			t.Errorf("the ledger became %q", got)
		}
		copies, _ := filepath.Glob(filepath.Join(dir, "holds.log.torn-*"))
		if !slices.ContainsFunc(copies, func(name string) bool { return readFile(t, name) == torn }) {
			t.Errorf("no copy of the torn line among %q", copies)
		}
		for _, draft := range []string{".pack.k.draft", "staged/.x.json.draft"} {
			if _, err := os.Stat(filepath.Join(dir, draft)); err == nil {
				t.Errorf("%s is still there", draft)
			}
		}
	})
}

// A line of the ledger that the disk takes only a part of is taken back; one
// that it does not confirm is reported, and the handle is held all the same.
func TestDiskFails(t *testing.T) {
	real := disk
	t.Cleanup(func() { disk = real })
	full := errors.New("no space left on device")
	for _, tt := range []struct {
		name   string
		fail   func()
		ledger string
		said   string
	}{
		{"half a line", func() {
			disk.write = func(file *os.File, data []byte) (int, error) {
				n, _ := real.write(file, data[:len(data)/2])
				return n, full
			}
		}, "", "[BRIDGE] world: holds.log: cannot append: no space left on device\n"},
		{"no sync", func() { disk.sync = func(*os.File) error { return full } },
			`{"op":"mint","session_id":"a","id":1,"handle_id":"h:Room:`, "[BRIDGE] world: holds.log: cannot append: no space left on device\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			r := openPantry(t, inWorld(dir, "a"), func(o *Options) { o.Sync = true })
			tt.fail()
			turn := r.send(`unlock(door: "north") | opened r |>`)
			disk = real
			if turn.Tier != TierResult || len(r.Held()) != 1 || r.log.String() != tt.said {
				t.Errorf("%s\nholds %v, said %q", report(turn), r.Held(), r.log.String())
			}
			if got := readFile(t, dir, ledgerName); !strings.HasPrefix(got, tt.ledger) || tt.ledger == "" && got != "" {
				t.Errorf("the ledger holds %q", got)
			}
			disk.write = func(*os.File, []byte) (int, error) { return 0, full }
			turn = r.send(packSource)
			disk = real
			if !strings.Contains(report(turn), "the world did not take it") || !strings.Contains(r.log.String(), "cannot write pack.k: no space left on device") {
				t.Errorf("a definition that cannot be kept: %s\n%s", report(turn), r.log.String())
			}
			if entries, _ := filepath.Glob(filepath.Join(dir, "*pack*")); len(entries) > 0 {
				t.Errorf("left %q", entries)
			}
		})
	}
}
