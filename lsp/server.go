package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/lsp/view"
)

// Options say what a server serves.
type Options struct {
	// Check are the options of the checker; Files is the disk from its root.
	Check check.Options
	// Version is what the server calls its own version.
	Version string
	// Log takes what goes wrong inside; nil drops it.
	Log io.Writer
	// Alive reports whether a process still runs, so that a server whose editor
	// was killed does not outlive it; nil believes so.
	Alive func(pid int) bool
	// Run runs the program of an entry file in a folder, when a user asks for it;
	// nil runs nothing. Checking and editing never do.
	Run func(ctx context.Context, entry, dir string) (*view.Ran, error)
}

// Codes of errors that the protocol adds to those of JSON-RPC.
const (
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeRequestFailed  = -32803
)

// stage is how far a connection has come.
type stage uint8

const (
	fresh stage = iota // nothing but initialize is answered
	running
	shutDown // nothing but exit is heard
)

// Server serves one client.
type Server struct {
	opts   Options
	stream *stream
	conn   atomic.Pointer[jsonrpc2.Conn] // known from the first message on
	log    *log.Logger

	// What follows is touched on the goroutine that reads alone.
	stage  stage
	client client
	roots  []folder
	lost   map[string]bool // documents whose edits no longer fit what the client has

	updating sync.Mutex // held while the next snapshot is made
	snapshot atomic.Pointer[view.Snapshot]
	pulls    atomic.Bool   // the client asks for diagnostics itself
	slots    chan struct{} // bounds the bodies that run at once
	publish  *publisher

	mu      sync.Mutex
	pending map[string][]*request // by id as written

	sizes    sync.Map       // by method: the length of its last answer
	runs     sync.WaitGroup // programs that run
	interval time.Duration  // between two looks for the editor's process
	exit     chan int       // the exit code, once
	exitOnce sync.Once
}

// Serve answers a client until it says exit or hangs up, and returns the exit
// code of the process: 0 after a shutdown and when the client has hung up, else
// 1. When it returns nothing of the server runs any more but bodies of requests
// that nobody waits for.
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser, opts Options) int {
	return newServer(in, out, opts).serve(ctx)
}

func newServer(in io.Reader, out io.WriteCloser, opts Options) *Server {
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	s := &Server{
		opts:     opts,
		stream:   newStream(in, out, out),
		log:      log.New(opts.Log, "koru lsp: ", 0),
		lost:     map[string]bool{},
		slots:    make(chan struct{}, max(4, runtime.GOMAXPROCS(0))),
		pending:  map[string][]*request{},
		interval: 3 * time.Second,
		exit:     make(chan int, 1),
	}
	s.snapshot.Store(view.New(view.Options{Options: opts.Check, Settings: view.DefaultSettings(), Run: s.run()}))
	s.publish = newPublisher(s)
	return s
}

func (s *Server) serve(ctx context.Context) int {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		s.runs.Wait() // their processes are gone when ours ends
	}()
	go s.publish.run(ctx)
	conn := jsonrpc2.NewConn(ctx, s.stream, s, jsonrpc2.SetLogger(s.log))
	defer conn.Close()
	defer s.stream.out.end(lastWords)
	select {
	case code := <-s.exit:
		return code
	case <-conn.DisconnectNotify():
		select {
		case code := <-s.exit: // exit and the end of the stream come together
			return code
		default:
			return 0
		}
	case <-ctx.Done():
		return 1
	}
}

// run returns what runs programs, counting those that do. A program that runs
// keeps no request waiting: its own gives up its slot meanwhile.
func (s *Server) run() func(ctx context.Context, entry, dir string) (*view.Ran, error) {
	if s.opts.Run == nil {
		return nil
	}
	return func(ctx context.Context, entry, dir string) (*view.Ran, error) {
		s.runs.Add(1)
		defer s.runs.Done()
		<-s.slots
		defer func() { s.slots <- struct{}{} }()
		return s.opts.Run(ctx, entry, dir)
	}
}

func (s *Server) leave(code int) {
	s.exitOnce.Do(func() { s.exit <- code })
}

// lastWords is how long a server that is to end waits for its client to read
// what it has said.
const lastWords = time.Second

// request is one request that waits for its answer.
type request struct {
	id     json.RawMessage
	method string
	cancel context.CancelFunc
	once   sync.Once
}

// encode encodes an answer in room for one as long as the last of its method:
// those about a large document are megabytes, and growing is half of the work.
func (s *Server) encode(method string, result any) ([]byte, error) {
	last, _ := s.sizes.Load(method)
	size, _ := last.(int)
	text, err := protocol.AppendMarshal(make([]byte, 0, size+size/8), result)
	s.sizes.Store(method, len(text))
	return text, err
}

// Handle takes one message, in the order of the stream. What must keep that
// order is done before it returns; the rest of a request goes on by itself.
func (s *Server) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	s.conn.Store(conn)
	params := s.stream.params
	if s.stream.id == nil {
		s.guard(req.Method, func() { s.notification(ctx, req.Method, params) })
		return
	}
	connected := ctx
	ctx, cancel := context.WithCancel(ctx)
	r := &request{id: s.stream.id, method: req.Method, cancel: cancel}
	s.mu.Lock()
	s.pending[string(r.id)] = append(s.pending[string(r.id)], r)
	s.mu.Unlock()
	if err := s.refuses(req.Method); err != nil {
		s.answer(r, nil, err)
		return
	}
	defer s.rescue(r)
	if own := lifecycle[req.Method]; own != nil {
		result, err := own(s, connected, params)
		s.answer(r, result, err)
		return
	}
	f := byMethod()[req.Method]
	if f == nil {
		s.answer(r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "there is no method " + req.Method})
		return
	}
	snapshot := s.snapshot.Load()
	go s.body(ctx, r, f, snapshot, params)
}

// refuses says why a request cannot be answered at this stage.
func (s *Server) refuses(method string) *jsonrpc2.Error {
	switch {
	case s.stage == fresh && method != "initialize":
		return &jsonrpc2.Error{Code: codeNotInitialized, Message: "the first request is initialize"}
	case s.stage == running && method == "initialize":
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is initialized already"}
	case s.stage == shutDown:
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is shut down: only exit is left"}
	}
	return nil
}

// lifecycle are the requests that are answered in order. Their context is that
// of the connection.
var lifecycle = map[string]func(*Server, context.Context, json.RawMessage) (any, error){
	"initialize": (*Server).initialize,
	"shutdown":   (*Server).shutdown,
}

func (s *Server) shutdown(context.Context, json.RawMessage) (any, error) {
	s.stage = shutDown
	return nil, nil
}

// body answers a request from the snapshot of the moment at which it came.
func (s *Server) body(ctx context.Context, r *request, f *feature, snapshot *view.Snapshot, params json.RawMessage) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		s.answer(r, nil, ctx.Err())
		return
	}
	defer func() { <-s.slots }()
	defer s.rescue(r)
	if ctx.Err() != nil {
		s.answer(r, nil, ctx.Err())
		return
	}
	result, err := f.answer(ctx, snapshot, params)
	s.answer(r, result, err)
}

// rescue answers a request whose handling has met a fault of the server. It is
// to be deferred.
func (s *Server) rescue(r *request) {
	if p := recover(); p != nil {
		s.log.Printf("%s: %v\n%s", r.method, p, debug.Stack())
		s.answer(r, nil, &jsonrpc2.Error{
			Code:    jsonrpc2.CodeInternalError,
			Message: fmt.Sprintf("%s has met a fault of the server: %v", r.method, p),
		})
	}
}

// guard keeps a fault in the handling of a notification from ending the server.
func (s *Server) guard(method string, do func()) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Printf("%s: %v\n%s", method, p, debug.Stack())
		}
	}()
	do()
}

// answer answers a request, unless that has happened: a request that is
// cancelled is answered at once, and what its body still finds out is dropped.
func (s *Server) answer(r *request, result any, err error) {
	var text []byte
	if err == nil {
		text, err = s.encode(r.method, result)
	}
	r.once.Do(func() {
		r.cancel()
		s.forget(r)
		var wrong error
		if err == nil {
			wrong = s.stream.reply(r.id, text)
		} else {
			wrong = s.stream.write(envelope{ID: r.id, Error: mustMarshal(errorOf(err))})
		}
		if wrong != nil {
			s.conn.Load().Close() // nobody reads any more
		}
	})
}

func (s *Server) forget(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.pending[string(r.id)]
	for i, p := range list {
		if p == r {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(s.pending, string(r.id))
	} else {
		s.pending[string(r.id)] = list
	}
}

// errorOf words an error for the client.
func errorOf(err error) *jsonrpc2.Error {
	var e *jsonrpc2.Error
	var refusal view.Refusal
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return &jsonrpc2.Error{Code: codeCancelled, Message: "cancelled"}
	case errors.Is(err, view.ErrNoDocument):
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	case errors.As(err, &refusal):
		return &jsonrpc2.Error{Code: codeRequestFailed, Message: refusal.Error()}
	}
	return &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error()}
}

// cancel answers a request as cancelled.
func (s *Server) cancel(id json.RawMessage) {
	s.mu.Lock()
	waiting := s.pending[string(id)]
	s.mu.Unlock()
	for _, r := range waiting {
		s.answer(r, nil, context.Canceled)
	}
}

// call asks the client something and hands the answer to then, if it is not nil.
// It does not wait: nothing else could be read meanwhile.
func (s *Server) call(ctx context.Context, method string, params any, then func(json.RawMessage)) {
	go func() {
		var result json.RawMessage
		if err := s.conn.Load().Call(ctx, method, json.RawMessage(mustMarshal(params)), &result); err != nil {
			if ctx.Err() == nil && !errors.Is(err, jsonrpc2.ErrClosed) {
				s.log.Printf("%s: the client refuses: %v", method, err)
			}
			return
		}
		if then != nil {
			then(result)
		}
	}()
}

// tell sends a notification.
func (s *Server) tell(method string, params any) {
	_ = s.stream.notify(method, mustMarshal(params)) // a client that is gone is noticed by the reader
}

// mustMarshal encodes a value of our own making.
func mustMarshal(v any) []byte {
	text, err := protocol.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("lsp: %T cannot be encoded: %v", v, err))
	}
	return text
}
