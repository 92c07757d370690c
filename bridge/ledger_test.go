package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The two lines of the published layout, to the byte (bridge.md 7.8).
const (
	mintLine      = `{"op":"mint","session_id":"a","id":1,"handle_id":"h:Dir:737eec","binding":"r1","resource_type":"Dir","obligation_module":"std.fs","obligation_name":"dir","scope_name":"sandbox","created_by_event":"dir","discharge_event":"close"}` + "\n"
	dischargeLine = `{"op":"discharge","session_id":"a","id":1,"handle_id":"h:Dir:737eec","binding":"r1","obligation_module":"std.fs","obligation_name":"dir","scope_name":"sandbox","discharge_event":"close"}` + "\n"
)

func dirMint() Entry {
	return Entry{
		Op: opMint, Session: "a", ID: 1, Handle: "h:Dir:737eec", Binding: "r1", ResourceType: "Dir",
		ObligationModule: "std.fs", ObligationName: "dir", Scope: "sandbox", CreatedBy: "dir", Discharge: "close",
	}
}

func TestEntryLine(t *testing.T) {
	mint := dirMint()
	discharge := mint
	discharge.Op = opDischarge
	odd := mint
	odd.Session, odd.Handle = "a \"b\"", "<note>\n\x00 é"
	for _, tt := range []struct {
		name  string
		entry Entry
		want  string
	}{
		{"mint", mint, mintLine},
		{"discharge", discharge, dischargeLine},
		{"text that needs escapes stays one line", odd,
			strings.NewReplacer(`"session_id":"a"`, `"session_id":"a \"b\""`, "h:Dir:737eec", `<note>\n\u0000 é`).Replace(mintLine)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := tt.entry.appendTo(nil)
			if diff := cmp.Diff(tt.want, string(line)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			back, err := decodeEntry(line)
			if tt.entry.Op == opDischarge {
				back.ResourceType, back.CreatedBy = tt.entry.ResourceType, tt.entry.CreatedBy
			}
			if diff := cmp.Diff(tt.entry, back); diff != "" || err != nil {
				t.Errorf("read back: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// ledgerOf writes a ledger of one session: n mints, every second one let go.
func ledgerOf(name string, n int) string {
	var log []byte
	e := dirMint()
	e.Session = name
	for e.ID = 1; e.ID <= n; e.ID++ {
		e.Op = opMint
		log = e.appendTo(log)
		if e.ID%2 == 0 {
			e.Op = opDischarge
			log = e.appendTo(log)
		}
	}
	return string(log)
}

func heldIDs(s *LedgerState) map[string][]int {
	held := map[string][]int{}
	for _, h := range s.Sessions {
		held[h.Session] = []int{}
		for _, e := range h.Held {
			held[h.Session] = append(held[h.Session], e.ID)
		}
	}
	return held
}

// What a reader makes of each kind of line (bridge.md 7.8, R13, R95).
func TestParseLedger(t *testing.T) {
	other := strings.ReplaceAll(mintLine, `"session_id":"a"`, `"session_id":"b"`)
	second := strings.ReplaceAll(mintLine, `"id":1`, `"id":2`)
	for _, tt := range []struct {
		name    string
		log     string
		held    map[string][]int
		entries int
		stray   int
		damage  []LedgerFault
		torn    *LedgerFault
	}{
		{name: "empty"},
		{name: "a mint alone is held", log: mintLine, held: map[string][]int{"a": {1}}, entries: 1},
		{name: "a pair is settled", log: mintLine + dischargeLine, held: map[string][]int{"a": {}}, entries: 2},
		{name: "sessions pair by themselves", log: mintLine + other + dischargeLine, held: map[string][]int{"a": {}, "b": {1}}, entries: 3},
		{name: "a re-issue: mint, then discharge of the old number", log: mintLine + second + dischargeLine, held: map[string][]int{"a": {2}}, entries: 3},
		{name: "blank lines and CRLF say nothing", log: "\n" + strings.ReplaceAll(mintLine+dischargeLine, "\n", "\r\n") + " \t\n", held: map[string][]int{"a": {}}, entries: 2},
		{name: "fields of a later version", log: strings.Replace(mintLine, `"op"`, `"pid":7,"note":{"x":[1]},"op"`, 1), held: map[string][]int{"a": {1}}, entries: 1},
		{name: "a discharge without its mint", log: dischargeLine, held: map[string][]int{"a": {}}, entries: 1, stray: 1},
		{name: "a second mint of a number", log: mintLine + mintLine, held: map[string][]int{"a": {1}}, entries: 2, stray: 1},

		{name: "torn: no line feed", log: mintLine + dischargeLine[:40], held: map[string][]int{"a": {1}}, entries: 1,
			torn: &LedgerFault{Line: 2, Offset: int64(len(mintLine)), Size: 40, Reason: "the line has no end"}},
		{name: "torn: whole but for the line feed", log: mintLine[:len(mintLine)-1],
			torn: &LedgerFault{Line: 1, Size: int64(len(mintLine)) - 1, Reason: "the line has no end"}},
		{name: "torn: a block that never reached the disk", log: mintLine + "\x00\x00\x00\x00", held: map[string][]int{"a": {1}}, entries: 1,
			torn: &LedgerFault{Line: 2, Offset: int64(len(mintLine)), Size: 4, Reason: "the line has no end"}},
		{name: "torn: null bytes, then the end of a line", log: mintLine + "\x00\x00\"}\n", held: map[string][]int{"a": {1}}, entries: 1,
			torn: &LedgerFault{Line: 2, Offset: int64(len(mintLine)), Size: 5, Reason: "the line holds null bytes"}},
		{name: "torn: blank lines after it belong to it", log: "{\n\n \n",
			torn: &LedgerFault{Line: 1, Size: 5, Reason: "the line is not a JSON object of an entry"}},

		{name: "damaged in the middle", log: mintLine + "oops\n" + dischargeLine, held: map[string][]int{"a": {}}, entries: 2,
			damage: []LedgerFault{{Line: 2, Offset: int64(len(mintLine)), Size: 5, Reason: "the line is not a JSON object of an entry"}}},
		{name: "damaged: two lines run together", log: mintLine[:30] + mintLine + dischargeLine, held: map[string][]int{"a": {}}, entries: 1, stray: 1,
			damage: []LedgerFault{{Line: 1, Size: int64(len(mintLine)) + 30, Reason: "the line is not a JSON object of an entry"}}},
		{name: "damaged: no such event", log: strings.ReplaceAll(mintLine, "mint", "lend") + mintLine, held: map[string][]int{"a": {1}}, entries: 1,
			damage: []LedgerFault{{Line: 1, Size: int64(len(mintLine)), Reason: "the line is neither a mint nor a discharge"}}},
		{name: "damaged: no number", log: strings.Replace(mintLine, `"id":1,`, "", 1) + mintLine, held: map[string][]int{"a": {1}}, entries: 1,
			damage: []LedgerFault{{Line: 1, Size: int64(len(mintLine)) - 7, Reason: "the entry has no number"}}},
		{name: "damaged and torn", log: "oops\n\n" + mintLine + "{", held: map[string][]int{"a": {1}}, entries: 1,
			damage: []LedgerFault{{Line: 1, Size: 5, Reason: "the line is not a JSON object of an entry"}},
			torn:   &LedgerFault{Line: 4, Offset: int64(len(mintLine)) + 6, Size: 1, Reason: "the line has no end"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := parseLedger(strings.NewReader(tt.log))
			if err != nil {
				t.Fatal(err)
			}
			if tt.held == nil {
				tt.held = map[string][]int{}
			}
			if diff := cmp.Diff(tt.held, heldIDs(s)); diff != "" {
				t.Errorf("held (-want +got):\n%s", diff)
			}
			if s.Entries != tt.entries || len(s.Stray) != tt.stray {
				t.Errorf("%d entries, %d of them stray; want %d, %d", s.Entries, len(s.Stray), tt.entries, tt.stray)
			}
			if diff := cmp.Diff(tt.damage, s.Damage); diff != "" {
				t.Errorf("damage (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.torn, s.Torn); diff != "" {
				t.Errorf("torn (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseLedgerCountsSessions(t *testing.T) {
	s, err := parseLedger(strings.NewReader(ledgerOf("a", 5) + ledgerOf("b", 2)))
	if err != nil {
		t.Fatal(err)
	}
	a := s.Sessions[0]
	if a.Session != "a" || a.LastID != 5 || a.Minted != 5 || a.Discharged != 2 || len(a.Held) != 3 {
		t.Errorf("session a: %+v", a)
	}
	if s.LastID("a") != 5 || s.LastID("b") != 2 || s.LastID("c") != 0 {
		t.Error("the last numbers are 5, 2 and none")
	}
}

// A line too long to be an entry is read past in bounded memory.
func TestParseLedgerLongLines(t *testing.T) {
	long := strings.Replace(mintLine, "h:Dir:737eec", strings.Repeat("x", 200<<10), 1)
	endless := strings.Repeat("y", maxEntry+100<<10) + "\n"
	s, err := parseLedger(strings.NewReader(long + endless + mintLine))
	if err != nil {
		t.Fatal(err)
	}
	want := []LedgerFault{{Line: 2, Offset: int64(len(long)), Size: int64(len(endless)), Reason: "the line is too long to be an entry"}}
	if diff := cmp.Diff(want, s.Damage); diff != "" || s.Entries != 2 {
		t.Errorf("%d entries, damage (-want +got):\n%s", s.Entries, diff)
	}
}

func writeWorld(t *testing.T, log string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ledgerName), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readFile(t *testing.T, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func mustMount(t *testing.T, dir string) *World {
	t.Helper()
	w, err := Mount(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// Whatever byte a process dies at while it writes, and whether or not the rest
// of the block reached the disk as nulls: the whole lines stay, the torn one is
// kept beside them, and the next session goes on (R13).
func TestMountAfterEveryCut(t *testing.T) {
	real := disk
	t.Cleanup(func() { disk = real })
	disk.sync = func(*os.File) error { return nil } // whether it is asked for is not at issue here, and it takes most of the time
	odd := dirMint()
	odd.Session, odd.Handle = "é \"b\"", "<note>\n\x00 ✓"
	log := mintLine + dischargeLine + string(odd.appendTo(nil)) + strings.ReplaceAll(mintLine, `"id":1`, `"id":2`)
	for cut := range len(log) + 1 {
		for _, tail := range []string{"", "\x00\x00\x00"} {
			dir := writeWorld(t, log[:cut]+tail)
			whole := strings.LastIndexByte(log[:cut], '\n') + 1
			torn := log[whole:cut] + tail

			w := mustMount(t, dir)
			if got := readFile(t, dir, ledgerName); got != log[:whole] {
				t.Fatalf("cut at %d: the whole lines became %q", cut, got)
			}
			if torn == "" {
				if len(w.Notices()) != 0 {
					t.Fatalf("cut at %d: nothing was torn, but the mount says %q", cut, w.Notices())
				}
			} else {
				if got := readFile(t, dir, "holds.log.torn-1"); got != torn {
					t.Fatalf("cut at %d: set aside %q, want %q", cut, got, torn)
				}
				want := fmt.Sprintf("holds.log: the last line was torn (line %d, byte %d, %d bytes); it is kept in holds.log.torn-1",
					strings.Count(log[:whole], "\n")+1, whole, len(torn))
				if diff := cmp.Diff([]string{want}, w.Notices()); diff != "" {
					t.Fatalf("cut at %d: (-want +got):\n%s", cut, diff)
				}
			}
			e := dirMint()
			e.ID = w.Ledger().LastID("a") + 1
			if err := w.ledger.append(&e); err != nil {
				t.Fatal(err)
			}
			s, err := ReadLedger(dir)
			if err != nil || s.Torn != nil || s.Damage != nil || s.Stray != nil || s.Entries != strings.Count(log[:whole], "\n")+1 {
				t.Fatalf("cut at %d: after the next session: %+v, %v", cut, s, err)
			}
			w.Close()
		}
	}
}

// Torn lines are numbered; none replaces another. A kill after the copy and
// before the cut leaves both, and the next mount makes one more copy.
func TestTornLinesAreNumbered(t *testing.T) {
	dir := writeWorld(t, mintLine)
	for n := 1; n <= 3; n++ {
		f, err := os.OpenFile(filepath.Join(dir, ledgerName), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, "torn %d", n)
		f.Close()
		mustMount(t, dir)
		if got, want := readFile(t, dir, fmt.Sprintf("holds.log.torn-%d", n)), fmt.Sprintf("torn %d", n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := readFile(t, dir, ledgerName); got != mintLine {
		t.Errorf("the ledger became %q", got)
	}
}

// A line that is damaged in the middle refuses the mount and says where; a
// reader still gets what is whole, and nobody changes a byte (R95).
func TestDamagedLedgerRefusesTheWorld(t *testing.T) {
	log := mintLine + "{\"op\":\"mi\n" + dischargeLine + "torn"
	dir := writeWorld(t, log)
	_, err := Mount(dir, false)
	want := fmt.Sprintf("world '%s': holds.log is damaged at line 2 (byte %d): the line is not a JSON object of an entry; mend or remove that line, nothing else is wrong with the file",
		dir, len(mintLine))
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	s, err := ReadLedger(dir)
	if err != nil || s.Entries != 2 || len(s.Damage) != 1 || s.Torn == nil {
		t.Errorf("got %+v, %v", s, err)
	}
	if readFile(t, dir, ledgerName) != log {
		t.Error("a refused mount must not touch the file")
	}
}

func TestReadLedger(t *testing.T) {
	dir := t.TempDir()
	if s, err := ReadLedger(dir); err != nil || s.Entries != 0 {
		t.Errorf("a world without a ledger: %+v, %v", s, err)
	}
	if _, err := ReadLedger(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no world: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, ledgerName), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLedger(dir); err == nil || !strings.HasSuffix(err.Error(), "holds.log is not a plain file") {
		t.Errorf("a folder for a ledger: %v", err)
	}
}

// A name too long to be read back is refused before a byte of it is written.
func TestAppendRefusesEndlessNames(t *testing.T) {
	w := mustMount(t, t.TempDir())
	e := dirMint()
	e.Handle = strings.Repeat("x", maxEntry)
	if err := w.ledger.append(&e); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v", err)
	}
	e = dirMint()
	if err := w.ledger.append(&e); err != nil {
		t.Errorf("the next one: %v", err)
	}
	if got := readFile(t, w.dir, ledgerName); got != mintLine {
		t.Errorf("the ledger is %q", got)
	}
}

// Sessions that share a world write whole lines (U39).
func TestLedgerIsShared(t *testing.T) {
	dir := t.TempDir()
	const sessions, entries = 8, 50
	var wg sync.WaitGroup
	for i := range sessions {
		w := mustMount(t, dir)
		wg.Go(func() {
			e := dirMint()
			e.Session = fmt.Sprintf("s%d", i)
			for e.ID = 1; e.ID <= entries; e.ID++ {
				if err := w.ledger.append(&e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s, err := ReadLedger(dir)
	if err != nil || s.Entries != sessions*entries || s.Torn != nil || s.Damage != nil || s.Stray != nil {
		t.Errorf("got %+v, %v", s, err)
	}
}

// Every byte of a ledger is accounted for: cutting the torn line off leaves a
// ledger without one, and taking the damaged lines out leaves one that mounts.
func FuzzParseLedger(f *testing.F) {
	f.Add([]byte(mintLine + dischargeLine))
	f.Add([]byte(ledgerOf("b", 4) + "{\"op\":"))
	f.Add([]byte(mintLine + "oops\n\n" + mintLine + "\x00\x00"))
	f.Add([]byte("\r\n \t\n{}\n[]\nnull\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		for line := range bytes.Lines(log) {
			var slow Entry
			line = bytes.TrimSuffix(line, []byte("\n"))
			if fast, ok := scanEntry(string(line)); ok && (json.Unmarshal(line, &slow) != nil || fast != slow) {
				t.Fatalf("%q reads as %+v and as %+v", line, fast, slow)
			}
		}
		s, err := parseLedger(bytes.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		if s.Torn != nil {
			if s.Torn.Offset+s.Torn.Size != int64(len(log)) {
				t.Fatalf("the torn line must reach the end: %+v of %d bytes", s.Torn, len(log))
			}
			log = log[:s.Torn.Offset]
		}
		var whole []byte
		at := int64(0)
		for _, d := range s.Damage {
			if d.Offset < at || d.Size < 1 {
				t.Fatalf("damage out of order: %+v", s.Damage)
			}
			whole = append(whole, log[at:d.Offset]...)
			at = d.Offset + d.Size
		}
		whole = append(whole, log[at:]...)
		again, err := parseLedger(bytes.NewReader(whole))
		if err != nil || again.Torn != nil || again.Damage != nil {
			t.Fatalf("the whole lines do not stand alone: %+v, %v", again, err)
		}
		s.Torn, s.Damage = nil, nil
		if diff := cmp.Diff(s, again); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	})
}

func BenchmarkLedgerAppend(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%t", sync), func(b *testing.B) {
			w, err := Mount(b.TempDir(), sync)
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			e := dirMint()
			b.ReportAllocs()
			for b.Loop() {
				if err := w.ledger.append(&e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseLedger(b *testing.B) {
	log := []byte(ledgerOf("a", 10_000))
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseLedger(bytes.NewReader(log)); err != nil {
			b.Fatal(err)
		}
	}
}
