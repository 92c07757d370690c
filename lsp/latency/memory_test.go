package latency

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/koru-go/koru/lsp/lsptest"
)

// TestMemory opens the folder of KORU_CORPUS as one workspace, asks for all of
// its diagnostics, types eleven thousand letters into the files of one folder of it
// and asks now and then, and says what memory the server holds after a thousand and after all.
// Then it lets go of the keys: a second later the server must not compute.
func TestMemory(t *testing.T) {
	dir := os.Getenv("KORU_CORPUS")
	if !*measure || dir == "" {
		t.Skip("-measure is not set, or KORU_CORPUS")
	}
	k := kinds(t)[0]
	s := startServer(t, k, dir)
	defer s.stop()
	pid := s.cmd.Process.Pid
	report := func(when string) {
		fmt.Printf("%-40s %4d MB\n", when, memory(pid)>>20)
	}
	report("after initialize")
	began := time.Now()
	if _, err := s.Call("workspace/diagnostic", lsptest.Obj{"previousResultIds": []any{}}); err != nil {
		t.Fatal(err)
	}
	report(fmt.Sprintf("after all diagnostics (%d ms)", time.Since(began).Milliseconds()))

	var files []*file
	_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".k") && !strings.HasSuffix(name, ".kz") || len(files) == 20 {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || len(text) < 1000 {
			return nil
		}
		f := &file{uri: "file://" + name, version: 1, lines: strings.Split(string(text), "\n")}
		f.line = len(f.lines) / 2
		s.Open(f.uri, 1, string(text))
		files = append(files, f)
		return nil
	})
	if len(files) == 0 {
		t.Fatal("the folder holds no files")
	}
	r := rand.New(rand.NewPCG(1, 1))
	typing := func(count int) {
		for range count {
			f := files[r.IntN(len(files))]
			s.key(f)
			request := koruRequests[r.IntN(len(koruRequests)-1)]
			if r.IntN(4) == 0 {
				if _, err := s.ask(request.method, request.params(f)); err != nil {
					t.Fatal(err)
				}
			}
			s.Notes()
		}
		if _, err := s.ask("textDocument/hover", files[0].at()); err != nil {
			t.Fatal(err)
		}
	}
	typing(1_000) // until the collector has found its pace
	time.Sleep(time.Second)
	report("after 1,000 edits")
	before := memory(pid)
	typing(10_000)
	time.Sleep(time.Second)
	report("after 10,000 more")
	fmt.Printf("%-40s %+.0f %%\n", "grown by", 100*float64(memory(pid)-before)/float64(before))

	for range 2_000 { // a key that is held down, and nobody who reads
		s.key(files[0])
	}
	if _, err := s.ask("textDocument/hover", files[0].at()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	used := processorTime(pid)
	time.Sleep(3 * time.Second)
	fmt.Printf("%-40s %v in 3 s\n", "processor time a second after a flood", processorTime(pid)-used)
}
