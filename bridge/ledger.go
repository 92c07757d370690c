package bridge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/koru-go/koru/eval"
)

// ledgerName is the file of a world that its mints and discharges go to.
const ledgerName = "holds.log"

// maxEntry bounds one line of the ledger. Nothing that a session may hold
// comes near it; a longer line is damage, however much memory there is.
const maxEntry = 16 << 20

// The two events that a ledger knows.
const (
	opMint      = "mint"
	opDischarge = "discharge"
)

// Entry is one line of a world's ledger: a handle was minted or let go
// (bridge.md 7.8). The line is the record, not a story about it: no clock, no
// process, the same bytes on every replay.
type Entry struct {
	Op               string `json:"op"` // mint or discharge
	Session          string `json:"session_id"`
	ID               int    `json:"id"` // pairs a discharge with its mint, within a session
	Handle           string `json:"handle_id"`
	Binding          string `json:"binding"`
	ResourceType     string `json:"resource_type"`
	ObligationModule string `json:"obligation_module"`
	ObligationName   string `json:"obligation_name"`
	Scope            string `json:"scope_name"`
	CreatedBy        string `json:"created_by_event"`
	// Discharge is the verb that would let the handle go, or the one that did.
	Discharge string `json:"discharge_event"`
}

// member is one text of an entry's line. A discharge names the handle and how
// it was let go; what a mint says beyond that is not repeated.
type member struct {
	key      string
	mintOnly bool
	text     func(*Entry) *string
}

// members are the texts that follow the number, in the order of the line.
var members = [...]member{
	{`,"handle_id":`, false, func(e *Entry) *string { return &e.Handle }},
	{`,"binding":`, false, func(e *Entry) *string { return &e.Binding }},
	{`,"resource_type":`, true, func(e *Entry) *string { return &e.ResourceType }},
	{`,"obligation_module":`, false, func(e *Entry) *string { return &e.ObligationModule }},
	{`,"obligation_name":`, false, func(e *Entry) *string { return &e.ObligationName }},
	{`,"scope_name":`, false, func(e *Entry) *string { return &e.Scope }},
	{`,"created_by_event":`, true, func(e *Entry) *string { return &e.CreatedBy }},
	{`,"discharge_event":`, false, func(e *Entry) *string { return &e.Discharge }},
}

// appendTo appends the entry's line: the members of its event in their fixed
// order and one line feed.
func (e *Entry) appendTo(dst []byte) []byte {
	dst = append(dst, `{"op":"`...)
	dst = append(dst, e.Op...)
	dst = append(dst, `","session_id":`...)
	dst = eval.AppendQuoted(dst, e.Session)
	dst = append(dst, `,"id":`...)
	dst = strconv.AppendInt(dst, int64(e.ID), 10)
	for _, m := range members {
		if !m.mintOnly || e.Op == opMint {
			dst = append(dst, m.key...)
			dst = eval.AppendQuoted(dst, *m.text(e))
		}
	}
	return append(dst, "}\n"...)
}

// ledger appends to the holds.log of one world. Several sessions, in one
// process or in many, may append to the same file (U39): each line is one
// write to a file opened for appending, made while the file is locked.
type ledger struct {
	root *os.Root
	file *os.File
	sync bool
	line []byte
	// end is where the last line ended that was seen here, last the greatest
	// number of each session up to there.
	end  int64
	last map[string]int
	// told, if not nil, hears what is odd about what others have written.
	told func(notice string)
}

// append writes one entry. When it returns, the line is with the operating
// system: killing the process cannot take it back. With sync it is on the
// disk, too.
//
// A mint whose number another session of the same name has taken since gets the
// next one, in e as well. A line that could be written only in part (a full
// disk) is taken back, so that the next one does not grow out of its stump.
func (l *ledger) append(e *Entry) error {
	if err := lock(l.file, true); err != nil {
		return fmt.Errorf("%s: cannot lock: %w", ledgerName, reason(err))
	}
	defer unlock(l.file)
	if err := l.catchUp(); err != nil {
		return fmt.Errorf("%s: cannot read what others wrote: %w", ledgerName, reason(err))
	}
	if e.Op == opMint {
		e.ID = max(e.ID, l.last[e.Session]+1)
	}
	l.line = e.appendTo(l.line[:0])
	if len(l.line) > maxEntry {
		l.line = nil
		return fmt.Errorf("%s: the handle's name is too long to be written down", ledgerName)
	}
	n, err := disk.write(l.file, l.line)
	if n > 0 && n < len(l.line) {
		err = errors.Join(err, l.takeBack(int64(n)))
	} else {
		l.end += int64(n)
		l.last[e.Session] = max(e.ID, l.last[e.Session])
	}
	if err == nil && l.sync {
		err = disk.sync(l.file)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot append: %w", ledgerName, reason(err))
	}
	return nil
}

// catchUp reads what others have written since. A line that one of them died
// over is set aside as a mount would do it: the next one may not grow out of its
// stump. The caller holds the lock.
func (l *ledger) catchUp() error {
	end, err := l.file.Seek(0, io.SeekEnd)
	if err != nil || end == l.end {
		return err
	}
	state, err := parseLedger(io.NewSectionReader(l.file, l.end, end-l.end))
	if err != nil {
		return err
	}
	if state.Torn != nil {
		if state, err = mend(l.root, l.file); err != nil {
			return err
		}
		if t := state.Torn; t != nil && l.told != nil {
			l.told(tornNotice(t))
		}
	}
	return l.saw(state)
}

// saw notes what the file has come to.
func (l *ledger) saw(state *LedgerState) (err error) {
	for _, s := range state.Sessions {
		l.last[s.Session] = max(s.LastID, l.last[s.Session])
	}
	l.end, err = l.file.Seek(0, io.SeekEnd)
	return err
}

// takeBack cuts the last n bytes off the file. The caller holds the lock.
func (l *ledger) takeBack(n int64) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	return disk.truncate(l.file, info.Size()-n)
}

func (l *ledger) close() error {
	err := disk.sync(l.file)
	return errors.Join(err, l.file.Close())
}

// openLedger opens the ledger of a world, which it creates if there is none,
// and reads it. A last line that is torn is set aside first; a damaged line
// before it refuses the world (R13, R95).
func openLedger(root *os.Root, sync bool) (*ledger, *LedgerState, error) {
	if err := regularOrNone(root, ledgerName); err != nil {
		return nil, nil, err
	}
	file, err := root.OpenFile(ledgerName, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot open %s: %w", ledgerName, reason(err))
	}
	l := &ledger{root: root, file: file, sync: sync, last: map[string]int{}}
	state, err := l.open()
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return l, state, nil
}

// open reads the whole ledger, and refuses one that is damaged.
func (l *ledger) open() (*LedgerState, error) {
	if err := lock(l.file, true); err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", ledgerName, reason(err))
	}
	defer unlock(l.file)
	state, err := mend(l.root, l.file)
	if err != nil {
		return nil, err
	}
	if len(state.Damage) > 0 {
		d := state.Damage[0]
		return nil, fmt.Errorf("%s is damaged at line %d (byte %d): %s; mend or remove that line, nothing else is wrong with the file",
			ledgerName, d.Line, d.Offset, d.Reason)
	}
	if err := l.saw(state); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", ledgerName, reason(err))
	}
	return state, nil
}

// mend reads the ledger and, unless it is damaged, cuts a torn last line off it.
// The caller holds the lock.
func mend(root *os.Root, file *os.File) (*LedgerState, error) {
	state, err := parseLedger(io.NewSectionReader(file, 0, 1<<62))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", ledgerName, reason(err))
	}
	if state.Torn == nil || len(state.Damage) > 0 {
		return state, nil
	}
	torn := io.NewSectionReader(file, state.Torn.Offset, state.Torn.Size)
	if state.Torn.Kept, err = setAside(root, torn); err != nil {
		return nil, fmt.Errorf("cannot set the torn last line of %s aside: %w", ledgerName, reason(err))
	}
	if err := errors.Join(disk.truncate(file, state.Torn.Offset), disk.sync(file)); err != nil {
		return nil, fmt.Errorf("cannot cut the torn last line off %s: %w", ledgerName, reason(err))
	}
	return state, nil
}

// tornNotice says what became of a torn line.
func tornNotice(t *LedgerFault) string {
	return fmt.Sprintf("%s: the last line was torn (line %d, byte %d, %d bytes); it is kept in %s", ledgerName, t.Line, t.Offset, t.Size, t.Kept)
}

// setAside copies a torn line to the first free holds.log.torn-N and returns
// that name. The copy is on the disk before the original is cut, so a kill
// between the two leaves both.
func setAside(root *os.Root, torn io.Reader) (string, error) {
	for n := 1; ; n++ {
		kept := ledgerName + ".torn-" + strconv.Itoa(n)
		file, err := disk.create(root, kept)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(diskWriter{file}, torn)
		return kept, errors.Join(err, disk.sync(file), file.Close(), syncFolder(root, "."))
	}
}

// ReadLedger reads the ledger of the world at dir and changes nothing. Torn
// and damaged lines are part of the answer; the error is about reaching the
// file. A world without a ledger has an empty one.
func ReadLedger(dir string) (*LedgerState, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("world '%s': %w", dir, reason(err))
	}
	defer root.Close()
	if err := regularOrNone(root, ledgerName); err != nil {
		return nil, fmt.Errorf("world '%s': %w", dir, err)
	}
	file, err := root.Open(ledgerName)
	if errors.Is(err, fs.ErrNotExist) {
		return &LedgerState{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("world '%s': cannot open %s: %w", dir, ledgerName, reason(err))
	}
	defer file.Close()
	if err := lock(file, false); err != nil {
		return nil, fmt.Errorf("world '%s': cannot lock %s: %w", dir, ledgerName, reason(err))
	}
	defer unlock(file)
	state, err := parseLedger(file)
	if err != nil {
		return nil, fmt.Errorf("world '%s': cannot read %s: %w", dir, ledgerName, reason(err))
	}
	return state, nil
}
