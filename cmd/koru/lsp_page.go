package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"github.com/koru-go/koru/lsp"
)

// A page reaches a language server through a websocket, one message of the
// protocol a message of the socket. Anybody on the machine can reach a port, and
// so can any page that a browser shows: the address is of the loopback, the
// token is told to who started the server alone, and a request from another
// origin, or under another name of this host, is refused.

// maxPageMessage bounds one message of a page, in bytes.
const maxPageMessage = 64 << 20

// pageServer serves pages of one address.
type pageServer struct {
	token string
	addr  string
	pages http.Handler // the files of a page; nil if there are none
	opts  lsp.Options
}

// listenLoopback opens an address of this machine that no other machine reaches.
func listenLoopback(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("--listen is an address with a port, such as 127.0.0.1:0: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("--listen is an address of this machine alone, such as 127.0.0.1:0, not '%s'", host)
	}
	return net.Listen("tcp", addr)
}

// servePages serves until the context ends. It writes the URL of the page, which
// holds the token, as one line.
func servePages(ctx context.Context, l net.Listener, folder string, out io.Writer, opts lsp.Options) error {
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	s := &pageServer{token: hex.EncodeToString(secret), addr: l.Addr().String(), opts: opts}
	if folder != "" {
		s.pages = http.FileServer(http.Dir(folder))
	}
	web := &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
	}
	stop := context.AfterFunc(ctx, func() { _ = web.Close() })
	defer stop()
	if _, err := fmt.Fprintf(out, "http://%s/#%s\n", s.addr, s.token); err != nil {
		return err
	}
	if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *pageServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	case r.Host != s.addr: // a name that somebody else's DNS points here
		http.Error(w, "this server answers to "+s.addr+" only", http.StatusForbidden)
	case r.URL.Path == "/lsp":
		s.socket(w, r)
	case s.pages != nil:
		s.pages.ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// socket serves one page until it goes away.
func (s *pageServer) socket(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(s.token)) != 1 {
		http.Error(w, "the token is the one of the URL that koru lsp printed", http.StatusForbidden)
		return
	}
	conn, err := websocket.Accept(w, r, nil) // refuses other origins
	if err != nil {
		return // answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxPageMessage)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	in, fromPage := io.Pipe()
	toPage, out := io.Pipe()
	go func() { fromPage.CloseWithError(frames(ctx, conn, fromPage)) }()
	go func() {
		toPage.CloseWithError(messages(ctx, conn, bufio.NewReader(toPage)))
		cancel()
	}()
	lsp.Serve(ctx, in, out, s.opts)
	conn.Close(websocket.StatusNormalClosure, "")
}

// frames copies the messages of a page as the frames that a server reads. It
// returns io.EOF when the page has gone.
func frames(ctx context.Context, conn *websocket.Conn, w io.Writer) error {
	for {
		_, body, err := conn.Read(ctx)
		if err != nil {
			return io.EOF
		}
		if _, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			return err
		}
	}
}

// messages copies the frames that a server writes as messages of a page.
func messages(ctx context.Context, conn *websocket.Conn, r *bufio.Reader) error {
	headers := textproto.NewReader(r)
	for {
		header, err := headers.ReadMIMEHeader()
		if err != nil {
			return err
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return err
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return err
		}
		if err := conn.Write(ctx, websocket.MessageText, body); err != nil {
			return err
		}
	}
}
