// Package lsptest is a client of the language server protocol for tests and
// measurements. It shares no code with the server, so that what both get wrong
// in the same way is rare, and it can be made to say what no editor would.
package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
	"time"
)

// Patience is how long a client waits for what must come. It is long enough for
// any machine: a test that meets it has found a server that does not answer.
const Patience = 60 * time.Second

// Error is an error answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// Message is one message of the server.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
	At     time.Time       `json:"-"` // when it was read
}

// Client talks to one server.
type Client struct {
	writing sync.Mutex
	w       io.WriteCloser
	record  io.Writer

	mu      sync.Mutex
	next    int
	waiting map[string]chan *Message // by id
	counts  map[string]int           // answers by id
	notes   []*Message               // notifications and stray answers, in order
	arrived chan struct{}            // closed and renewed when notes grow
	asked   func(*Message) any       // answers what the server asks
	gone    chan struct{}            // closed when the server has hung up
}

// New returns a client that reads what a server writes.
func New(r io.Reader, w io.WriteCloser) *Client {
	c := &Client{
		w: w, waiting: map[string]chan *Message{}, counts: map[string]int{},
		arrived: make(chan struct{}), gone: make(chan struct{}),
	}
	go c.read(bufio.NewReaderSize(r, 1<<20))
	return c
}

// Answer sets what the client answers to requests of the server; without it, it
// is null. The function is called on the goroutine that reads.
func (c *Client) Answer(f func(m *Message) any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = f
}

func (c *Client) read(r *bufio.Reader) {
	defer close(c.gone)
	for {
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		size, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		m := &Message{At: time.Now()}
		if json.Unmarshal(body, m) != nil {
			return
		}
		c.take(m)
	}
}

func (c *Client) take(m *Message) {
	c.mu.Lock()
	asked := c.asked
	ch := c.waiting[string(m.ID)]
	switch {
	case m.Method != "" && m.ID != nil:
		c.mu.Unlock()
		var result any
		if asked != nil {
			result = asked(m)
		}
		c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		return
	case m.Method == "" && ch != nil:
		c.counts[string(m.ID)]++
		delete(c.waiting, string(m.ID))
		ch <- m
	default:
		if m.Method == "" {
			c.counts[string(m.ID)]++
		}
		c.notes = append(c.notes, m)
		close(c.arrived)
		c.arrived = make(chan struct{})
	}
	c.mu.Unlock()
}

// Gone is closed when the server has hung up.
func (c *Client) Gone() <-chan struct{} { return c.gone }

// Close hangs up.
func (c *Client) Close() error { return c.w.Close() }

// Raw writes bytes as they are.
func (c *Client) Raw(text string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := io.WriteString(c.w, text)
	return err
}

// Record writes the body of every message from now on to w, one a line.
func (c *Client) Record(w io.Writer) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.record = w
}

// Body writes a message whose body is the given text.
func (c *Client) Body(text string) error {
	c.writing.Lock()
	if c.record != nil {
		_, _ = io.WriteString(c.record, text+"\n") // what is not recorded is not replayed
	}
	c.writing.Unlock()
	return c.Raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text))
}

func (c *Client) send(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	_ = c.Body(string(text)) // a server that is gone shows in what is missing
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) {
	c.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// Pending is a request that was sent.
type Pending struct {
	c    *Client
	ID   int
	Sent time.Time
	ch   chan *Message
}

// Start sends a request.
func (c *Client) Start(method string, params any) *Pending {
	c.mu.Lock()
	c.next++
	p := &Pending{c: c, ID: c.next, ch: make(chan *Message, 1)}
	c.waiting[strconv.Itoa(p.ID)] = p.ch
	c.mu.Unlock()
	message := map[string]any{"jsonrpc": "2.0", "id": p.ID, "method": method}
	if params != nil {
		message["params"] = params
	}
	p.Sent = time.Now()
	c.send(message)
	return p
}

// Wait returns the answer to a request.
func (p *Pending) Wait() (*Message, error) {
	select {
	case m := <-p.ch:
		return m, nil
	case <-p.c.gone:
		select {
		case m := <-p.ch:
			return m, nil
		default:
			return nil, fmt.Errorf("the server is gone and has not answered request %d", p.ID)
		}
	case <-time.After(Patience):
		return nil, fmt.Errorf("request %d was not answered", p.ID)
	}
}

// Call sends a request and waits for its result. An answer that is an error is
// an *Error.
func (c *Client) Call(method string, params any) (json.RawMessage, error) {
	m, err := c.Start(method, params).Wait()
	switch {
	case err != nil:
		return nil, err
	case m.Error != nil:
		return nil, m.Error
	}
	return m.Result, nil
}

// Answers returns how often a request was answered.
func (c *Client) Answers(id int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[strconv.Itoa(id)]
}

// Notes returns the notifications that have come so far, and answers that no
// request waits for, and forgets them.
func (c *Client) Notes() []*Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	notes := c.notes
	c.notes = nil
	return notes
}

// Await returns the first notification that is wanted and forgets it and all
// that came before it.
func (c *Client) Await(wanted func(*Message) bool) (*Message, error) {
	deadline := time.After(Patience)
	for {
		c.mu.Lock()
		for i, m := range c.notes {
			if wanted(m) {
				c.notes = c.notes[i+1:]
				c.mu.Unlock()
				return m, nil
			}
		}
		arrived := c.arrived
		c.mu.Unlock()
		select {
		case <-arrived:
		case <-c.gone:
			return nil, fmt.Errorf("the server is gone")
		case <-deadline:
			return nil, fmt.Errorf("what was waited for did not come")
		}
	}
}

// Diagnostics is what a server publishes about a document.
type Diagnostics struct {
	URI         string            `json:"uri"`
	Version     *int              `json:"version"`
	Diagnostics []json.RawMessage `json:"diagnostics"`
}

// Published waits for the diagnostics of a version of a document; a negative
// version is any.
func (c *Client) Published(uri string, version int) (*Diagnostics, *Message, error) {
	var d Diagnostics
	m, err := c.Await(func(m *Message) bool {
		if m.Method != "textDocument/publishDiagnostics" {
			return false
		}
		d = Diagnostics{}
		return json.Unmarshal(m.Params, &d) == nil && d.URI == uri &&
			(version < 0 || d.Version != nil && *d.Version == version)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("no diagnostics of %s, version %d: %w", uri, version, err)
	}
	return &d, m, nil
}

// Obj is a JSON object, for the params of a message.
type Obj = map[string]any

// Doc names a document.
func Doc(uri string) Obj { return Obj{"textDocument": Obj{"uri": uri}} }

// At names a place in a document.
func At(uri string, line, character int) Obj {
	return Obj{"textDocument": Obj{"uri": uri}, "position": Obj{"line": line, "character": character}}
}

// Open tells the server of a document.
func (c *Client) Open(uri string, version int, text string) {
	c.Notify("textDocument/didOpen", Obj{"textDocument": Obj{"uri": uri, "languageId": "koru", "version": version, "text": text}})
}

// Range is a range of a document, in the encoding that was agreed on.
func Range(startLine, startCharacter, endLine, endCharacter int) Obj {
	return Obj{
		"start": Obj{"line": startLine, "character": startCharacter},
		"end":   Obj{"line": endLine, "character": endCharacter},
	}
}

// Change tells the server of edits, each {"range", "text"} or {"text"}.
func (c *Client) Change(uri string, version int, changes ...Obj) {
	c.Notify("textDocument/didChange", Obj{"textDocument": Obj{"uri": uri, "version": version}, "contentChanges": changes})
}

// Initialize opens the connection. The capabilities may be nil.
func (c *Client) Initialize(root string, capabilities Obj) (json.RawMessage, error) {
	if capabilities == nil {
		capabilities = Obj{}
	}
	params := Obj{"processId": nil, "rootUri": nil, "capabilities": capabilities}
	if root != "" {
		params["rootUri"] = root
	}
	result, err := c.Call("initialize", params)
	if err == nil {
		c.Notify("initialized", Obj{})
	}
	return result, err
}
