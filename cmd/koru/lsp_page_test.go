package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/koru-go/koru/lsp/lsptest"
)

// startPage starts a server of pages and returns the URL that it prints.
func startPage(t *testing.T, folder string) *url.URL {
	t.Helper()
	cmd := exec.Command("koru", "lsp", "--listen", "127.0.0.1:0", "--page", folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		must(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	u, err := url.Parse(strings.TrimSpace(line))
	must(t, err)
	if u.Hostname() != "127.0.0.1" || len(u.Fragment) != 32 {
		t.Fatalf("the URL %s has no loopback address or no token", u)
	}
	return u
}

// dial opens the socket of a page as a browser would that shows a page of the
// given origin.
func dial(t *testing.T, u *url.URL, token, origin, host string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lsptest.Patience)
	defer cancel()
	return websocket.Dial(ctx, "ws://"+u.Host+"/lsp?token="+token, &websocket.DialOptions{
		HTTPHeader: http.Header{"Origin": {origin}}, Host: host,
	})
}

func TestPageTalksToTheServer(t *testing.T) {
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte("<p>the page</p>"), 0o666))
	u := startPage(t, folder)

	page, err := http.Get("http://" + u.Host + "/")
	must(t, err)
	defer page.Body.Close()
	if text, _ := io.ReadAll(page.Body); string(text) != "<p>the page</p>" {
		t.Errorf("the page is %q", text)
	}

	conn, _, err := dial(t, u, u.Fragment, "http://"+u.Host, "")
	must(t, err)
	defer conn.CloseNow()
	ctx, cancel := context.WithTimeout(t.Context(), lsptest.Patience)
	defer cancel()
	must(t, conn.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)))
	_, answer, err := conn.Read(ctx)
	must(t, err)
	if !strings.Contains(string(answer), `"name":"koru"`) {
		t.Errorf("the server answers %s", answer)
	}

	// exit ends the session, and not the server.
	must(t, conn.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","method":"exit"}`)))
	if _, _, err := conn.Read(ctx); err == nil {
		t.Error("the session goes on after exit")
	}
	again, _, err := dial(t, u, u.Fragment, "http://"+u.Host, "")
	must(t, err)
	_ = again.CloseNow()
}

func TestPageKeepsOthersOut(t *testing.T) {
	u := startPage(t, t.TempDir())
	own := "http://" + u.Host
	for _, tt := range []struct{ name, token, origin, host string }{
		{"without a token", "", own, ""},
		{"with another token", strings.Repeat("0", 32), own, ""},
		{"from a page of another origin", u.Fragment, "http://evil.example", ""},
		{"under a name that is not ours", u.Fragment, "http://evil.example", "evil.example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, answer, err := dial(t, u, tt.token, tt.origin, tt.host)
			if err == nil {
				_ = conn.CloseNow()
				t.Fatal("the socket opens")
			}
			if answer == nil || answer.StatusCode != http.StatusForbidden {
				t.Errorf("answered with %v: %v", answer, err)
			}
		})
	}
}

func TestPageListensOnTheLoopbackAlone(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "example.org:80", "127.0.0.1", "192.0.2.1:0"} {
		cmd := exec.Command("koru", "lsp", "--listen", addr)
		timer := time.AfterFunc(lsptest.Patience, func() { _ = cmd.Process.Kill() })
		text, _ := cmd.CombinedOutput()
		timer.Stop()
		if got := cmd.ProcessState.ExitCode(); got != exitUsage || !strings.Contains(string(text), "--listen is an address") {
			t.Errorf("--listen %s: exit %d, %s", addr, got, text)
		}
	}
}
