package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
)

// Limits of what is read from a client.
const (
	maxHeader = 64 << 10  // bytes of one message's header
	maxBody   = 512 << 20 // bytes of one message's body
)

// stream carries JSON-RPC messages over the base protocol. It is a
// jsonrpc2.ObjectStream with three differences from the library's own: a header
// is read in any letter case; what is no message is answered and survived
// instead of ending the connection; and the params of a message are kept aside
// as they came, so that a large document is not decoded twice.
type stream struct {
	r *bufio.Reader
	c io.Closer

	// The message that was read last. The library handles a message on the
	// goroutine that reads, before it reads the next, so these belong to the
	// request at hand.
	params json.RawMessage
	id     json.RawMessage // nil for a notification

	out *outbox
}

func newStream(r io.Reader, w io.Writer, c io.Closer) *stream {
	return &stream{r: bufio.NewReaderSize(r, 64<<10), out: newOutbox(w), c: c}
}

func (s *stream) Close() error { return s.c.Close() }

// envelope is one message: a request, a notification or a response.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  *string         `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// ReadObject reads the next message that is one. Whatever else arrives is
// answered with an error that has no id, as JSON-RPC asks, and passed over.
func (s *stream) ReadObject(v any) error {
	for {
		body, err := s.frame()
		if err != nil {
			return err
		}
		if body == nil {
			continue // answered
		}
		var m envelope
		if err := json.Unmarshal(body, &m); err != nil {
			if err := s.refuse(body, err); err != nil {
				return err
			}
			continue
		}
		switch {
		case m.Method != nil:
			// A request is handed to the library under an id of its own making;
			// it is answered under the id as the client wrote it.
			s.params, s.id = m.Params, m.ID
			outer := `{"method":` + string(quote(*m.Method)) + `}`
			if isID(m.ID) {
				outer = `{"method":` + string(quote(*m.Method)) + `,"id":1}`
			} else if m.ID != nil && !bytes.Equal(m.ID, null) {
				if err := s.write(errorMessage(null, jsonrpc2.CodeInvalidRequest, "an id is a string or an integer")); err != nil {
					return err
				}
				continue
			} else {
				s.id = nil
			}
			return json.Unmarshal([]byte(outer), v)
		case isID(m.ID) && (m.Result != nil || m.Error != nil):
			if err := json.Unmarshal(body, v); err != nil {
				continue // a response that is none answers nobody
			}
			return nil
		case m.Error != nil || m.Result != nil:
			continue // an error without an id: nothing can be done with it
		}
		id := m.ID
		if !isID(id) {
			id = null
		}
		if err := s.write(errorMessage(id, jsonrpc2.CodeInvalidRequest, "this is neither a request nor a response")); err != nil {
			return err
		}
	}
}

var null = json.RawMessage("null")

func quote(s string) []byte {
	text, _ := json.Marshal(s)
	return text
}

// isID reports whether a message can be answered under an id.
func isID(id json.RawMessage) bool {
	if len(id) == 0 {
		return false
	}
	if id[0] == '"' {
		return true
	}
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil
}

// refuse answers a body that is no message.
func (s *stream) refuse(body []byte, cause error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(cause, &wrong) || bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) && json.Valid(body) {
		return s.write(errorMessage(null, jsonrpc2.CodeInvalidRequest, "a message is one JSON object with jsonrpc, method and params"))
	}
	return s.write(errorMessage(null, jsonrpc2.CodeParseError, "this is not JSON: "+cause.Error()))
}

func errorMessage(id json.RawMessage, code int64, message string) envelope {
	text, _ := json.Marshal(&jsonrpc2.Error{Code: code, Message: message})
	return envelope{ID: id, Error: text}
}

// frame reads the body of the next message: nil if there was none worth reading,
// which then has been answered.
func (s *stream) frame() ([]byte, error) {
	size, err := s.header()
	if err != nil {
		return nil, err
	}
	switch {
	case size < 0:
		return nil, s.write(errorMessage(null, jsonrpc2.CodeParseError, "the header of a message says Content-Length: N"))
	case size > maxBody:
		if _, err := io.CopyN(io.Discard, s.r, size); err != nil {
			return nil, err
		}
		return nil, s.write(errorMessage(null, jsonrpc2.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes, this one has %d", maxBody, size)))
	}
	// grow with what arrives: a length is easily claimed
	var body bytes.Buffer
	body.Grow(int(min(size, 1<<20)))
	if _, err := io.CopyN(&body, s.r, size); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// header reads up to the blank line and returns the length of the body, or -1 if
// the header does not say one.
func (s *stream) header() (int64, error) {
	size, read, lines := int64(-1), 0, 0
	for {
		line, err := s.line()
		if err != nil {
			return 0, err
		}
		if read += len(line) + 1; read > maxHeader {
			return 0, fmt.Errorf("the header of a message is longer than %d bytes", maxHeader)
		}
		if line = strings.TrimSpace(line); line == "" {
			if lines == 0 {
				continue // blank lines between messages
			}
			return size, nil
		}
		lines++
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(name), "content-length") {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || n < 0 {
				n = -1
			}
			size = n
		}
	}
}

// line reads one line, but never more than a header may have.
func (s *stream) line() (string, error) {
	var b strings.Builder
	for {
		part, err := s.r.ReadSlice('\n')
		b.Write(part)
		if err == nil || err != bufio.ErrBufferFull {
			return b.String(), err
		}
		if b.Len() > maxHeader {
			return "", fmt.Errorf("the header of a message is longer than %d bytes", maxHeader)
		}
	}
}

// WriteObject writes a message of the library's: what the server asks of the
// client or tells it.
func (s *stream) WriteObject(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.send(body)
}

func (s *stream) write(m envelope) error {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(&m)
	if err != nil {
		return err
	}
	return s.send(body)
}

// reply answers a request. The parts are JSON already and are not looked at
// again: an answer may be large.
func (s *stream) reply(id, result json.RawMessage) error {
	if len(result) == 0 {
		result = null
	}
	return s.send([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), result, []byte(`}`))
}

// notify tells the client something, in JSON.
func (s *stream) notify(method string, params json.RawMessage) error {
	return s.send([]byte(`{"jsonrpc":"2.0","method":`), quote(method), []byte(`,"params":`), params, []byte(`}`))
}

func (s *stream) send(parts ...[]byte) error {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	head := strconv.AppendInt([]byte("Content-Length: "), int64(size), 10)
	return s.out.put(append([][]byte{append(head, "\r\n\r\n"...)}, parts...)...)
}
