//go:build linux || darwin

package bridge

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The tests below need a process that dies or has no room to write. They run
// this test binary again with the name of a part to play and a world.
const (
	partVariable  = "KORU_TEST_PART"
	worldVariable = "KORU_TEST_WORLD"
)

func TestMain(m *testing.M) {
	switch os.Getenv(partVariable) {
	case "write until killed":
		writeForever(os.Getenv(worldVariable))
	case "write on a full disk":
		writeOnFullDisk(os.Getenv(worldVariable))
	default:
		os.Exit(m.Run())
	}
}

func play(t *testing.T, part, world string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), partVariable+"="+part, worldVariable+"="+world)
	cmd.Stderr = os.Stderr
	return cmd
}

// writeForever appends mints and rewrites a definition, and prints a line
// whenever both are written.
func writeForever(dir string) {
	w, err := Mount(dir, false)
	if err != nil {
		panic(err)
	}
	e := dirMint()
	for e.ID = w.Ledger().LastID("a") + 1; ; e.ID++ {
		if err := w.ledger.append(&e); err != nil {
			panic(err)
		}
		if err := w.Define("sweep", definitionOf(e.ID)); err != nil {
			panic(err)
		}
		fmt.Println(e.ID)
	}
}

// definitionOf is a text that shows when it is not whole.
func definitionOf(n int) string {
	return fmt.Sprintf("tor sweep { n: i64 }\n// %d %s %d", n, strings.Repeat("x", n%5000), n)
}

// Killed at any moment, a session leaves every line and definition it has
// reported, whole; and the next one goes on after its numbers (R13, R56).
func TestKilledSession(t *testing.T) {
	dir := t.TempDir()
	last := 0
	for round := range 10 {
		cmd := play(t, "write until killed", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 3 + round {
			if !lines.Scan() {
				t.Fatal("the session ended by itself")
			}
		}
		cmd.Process.Kill()
		reported := last
		for ok := true; ok; ok = lines.Scan() {
			fmt.Sscan(lines.Text(), &reported)
		}
		cmd.Wait()

		w := mustMount(t, dir)
		id := w.Ledger().LastID("a")
		if id < reported || id > reported+1 || len(w.Ledger().Sessions[0].Held) != id || w.Ledger().Stray != nil {
			t.Errorf("round %d: reported %d, the ledger says %+v", round, reported, w.Ledger().Sessions[0])
		}
		files, err := w.Definitions()
		if err != nil || len(files) != 1 || files[0].Err != nil {
			t.Fatalf("round %d: %+v, %v", round, files, err)
		}
		if text := files[0].Text; text != definitionOf(reported)+"\n" && text != definitionOf(reported+1)+"\n" {
			t.Errorf("round %d: reported %d, the file holds %.60q", round, reported, text)
		}
		last = id
	}
}

// writeOnFullDisk has room for two and a half lines. It prints what became of
// four appends.
func writeOnFullDisk(dir string) {
	w, err := Mount(dir, false)
	if err != nil {
		panic(err)
	}
	room := uint64(len(mintLine)*5/2) + 1
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: room, Max: room}); err != nil {
		panic(err)
	}
	e := dirMint()
	for e.ID = 1; e.ID <= 4; e.ID++ {
		fmt.Println(e.ID, w.ledger.append(&e))
	}
}

// A line for which there is no room leaves no stump for the next one to grow
// out of, and says so.
func TestLedgerOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	out, err := play(t, "write on a full disk", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "1 <nil>\n2 <nil>\n3 holds.log: cannot append: file too large\n4 holds.log: cannot append: file too large\n"
	if string(out) != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
	if got, want := readFile(t, dir, ledgerName), mintLine+strings.ReplaceAll(mintLine, `"id":1`, `"id":2`); got != want {
		t.Errorf("the ledger holds\n%swant\n%s", got, want)
	}
}
