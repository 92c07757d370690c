package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// LedgerState is what a ledger says: which sessions wrote to it and what each
// of them held when it last did. To a later session that is information; it
// never becomes possession (bridge.md 7.8).
type LedgerState struct {
	Sessions []*SessionHolds // in order of their first line
	Entries  int             // whole lines
	// Stray are entries that pair with nothing: a discharge of what was never
	// minted or is gone, a second mint of a number that is still held.
	Stray  []Entry
	Damage []LedgerFault // lines that are no entries and have others after them
	Torn   *LedgerFault  // the last line, if it is not whole
}

// SessionHolds is what one session has on record.
type SessionHolds struct {
	Session    string
	LastID     int // the greatest number it used; the next one continues there (R56)
	Minted     int
	Discharged int
	Held       []Entry // mints without a discharge, by number
}

// LedgerFault is a stretch of a ledger that is no entry.
type LedgerFault struct {
	Line   int   // from 1
	Offset int64 // in bytes, from 0
	Size   int64
	Reason string
	// Kept is the file that a mount set the torn line aside in, "" if none did.
	Kept string
}

// LastID returns the greatest number that a session has on record, 0 for one
// that has none.
func (s *LedgerState) LastID(session string) int {
	for _, h := range s.Sessions {
		if h.Session == session {
			return h.LastID
		}
	}
	return 0
}

// parseLedger reads a ledger of any length in the memory that its unpaired
// lines take. Whatever the bytes are, it reads them to the end: every byte
// belongs to an entry, to a blank line, to a damaged line or to the torn one.
func parseLedger(r io.Reader) (*LedgerState, error) {
	p := ledgerParser{lines: bufio.NewReaderSize(r, 64<<10), open: map[string]*openSession{}}
	for {
		line, err := p.next()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if p.size > 0 {
			p.take(line, err == nil)
			p.offset += p.size
		}
		if err == io.EOF {
			return p.finish(), nil
		}
	}
}

// ledgerParser walks a ledger line by line.
type ledgerParser struct {
	lines  *bufio.Reader
	long   []byte // a line that did not fit the reader's buffer
	size   int64  // of the line at hand, with its line feed
	line   int
	offset int64

	state LedgerState
	open  map[string]*openSession
	// fault is the last line that was no entry, as long as nothing follows it.
	fault *LedgerFault
}

type openSession struct {
	holds *SessionHolds
	held  map[int]Entry
}

// next returns the next line without its line feed; io.EOF if the file ended
// before one. Of a line that is too long to be an entry only the start is
// kept; size still counts all of it.
func (p *ledgerParser) next() ([]byte, error) {
	p.line++
	part, err := p.lines.ReadSlice('\n')
	p.size = int64(len(part))
	if err != bufio.ErrBufferFull {
		return bytes.TrimSuffix(part, []byte("\n")), err
	}
	p.long = append(p.long[:0], part...)
	for err == bufio.ErrBufferFull {
		part, err = p.lines.ReadSlice('\n')
		p.size += int64(len(part))
		if len(p.long) <= maxEntry {
			p.long = append(p.long, part...)
		}
	}
	return bytes.TrimSuffix(p.long, []byte("\n")), err
}

// take judges one line. Blank lines, which an editor may leave, say nothing.
func (p *ledgerParser) take(line []byte, ended bool) {
	if len(bytes.TrimSpace(line)) == 0 && ended {
		return
	}
	if p.fault != nil {
		p.state.Damage = append(p.state.Damage, *p.fault)
		p.fault = nil
	}
	e, err := decodeEntry(line)
	switch {
	case !ended:
		err = errors.New("the line has no end")
	case p.size > maxEntry:
		err = errors.New("the line is too long to be an entry")
	}
	if err != nil {
		p.fault = &LedgerFault{Line: p.line, Offset: p.offset, Size: p.size, Reason: err.Error()}
		return
	}
	p.pair(e)
}

// decodeEntry reads one line. Fields that this version does not know are left
// to the one that does.
func decodeEntry(line []byte) (e Entry, err error) {
	if bytes.IndexByte(line, 0) >= 0 {
		return e, errors.New("the line holds null bytes")
	}
	if e, ok := scanEntry(string(line)); ok {
		return e, nil
	}
	if json.Unmarshal(line, &e) != nil {
		return e, errors.New("the line is not a JSON object of an entry")
	}
	if e.Op != opMint && e.Op != opDischarge {
		return e, errors.New("the line is neither a mint nor a discharge")
	}
	if e.ID < 1 {
		return e, errors.New("the entry has no number")
	}
	return e, nil
}

// scanEntry reads a line that is exactly what appendTo writes, as nearly all
// are, several times as fast as a reader of any JSON does. It knows no escapes
// and no text beyond ASCII; whatever it does not know is not an error.
func scanEntry(line string) (e Entry, ok bool) {
	rest, ok := strings.CutPrefix(line, `{"op":`)
	e.Op, rest, ok = cutText(rest, ok)
	rest, ok = cutKey(rest, `,"session_id":`, ok)
	e.Session, rest, ok = cutText(rest, ok)
	rest, ok = cutKey(rest, `,"id":`, ok)
	e.ID, rest, ok = cutNumber(rest, ok)
	for _, m := range members {
		if !m.mintOnly || e.Op == opMint {
			rest, ok = cutKey(rest, m.key, ok)
			*m.text(&e), rest, ok = cutText(rest, ok)
		}
	}
	return e, ok && rest == "}" && (e.Op == opMint || e.Op == opDischarge)
}

func cutKey(s, key string, ok bool) (rest string, _ bool) {
	if !ok {
		return "", false
	}
	return strings.CutPrefix(s, key)
}

// cutText cuts a JSON string of plain ASCII off the front of s.
func cutText(s string, ok bool) (text, rest string, _ bool) {
	if !ok || s == "" || s[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[1:i], s[i+1:], true
		case c < ' ' || c == '\\' || c >= 0x80:
			return "", "", false
		}
	}
	return "", "", false
}

// cutNumber cuts a positive number of at most 9 digits off the front of s.
func cutNumber(s string, ok bool) (n int, rest string, _ bool) {
	i := 0
	for i < len(s) && i < 9 && '0' <= s[i] && s[i] <= '9' {
		n = 10*n + int(s[i]-'0')
		i++
	}
	return n, s[i:], ok && i > 0 && s[0] != '0'
}

// pair matches an entry with what its session has open.
func (p *ledgerParser) pair(e Entry) {
	p.state.Entries++
	s := p.open[e.Session]
	if s == nil {
		s = &openSession{&SessionHolds{Session: e.Session}, map[int]Entry{}}
		p.open[e.Session] = s
		p.state.Sessions = append(p.state.Sessions, s.holds)
	}
	s.holds.LastID = max(s.holds.LastID, e.ID)
	_, held := s.held[e.ID]
	switch {
	case e.Op == opMint && !held:
		s.holds.Minted++
		s.held[e.ID] = e
	case e.Op == opDischarge && held:
		s.holds.Discharged++
		delete(s.held, e.ID)
	default:
		p.state.Stray = append(p.state.Stray, e)
	}
}

// finish makes the last fault the torn line and lists what is held.
func (p *ledgerParser) finish() *LedgerState {
	if p.fault != nil {
		p.state.Torn = p.fault
		p.state.Torn.Size = p.offset - p.fault.Offset
	}
	for _, s := range p.open {
		for _, e := range s.held {
			s.holds.Held = append(s.holds.Held, e)
		}
		slices.SortFunc(s.holds.Held, func(a, b Entry) int { return a.ID - b.ID })
	}
	return &p.state
}
