package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"koru": main})
}

// TestScripts runs the command as a user does: one txtar file a subject.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// TestConformance runs the black-box scripts that lie beside the checkout, if
// they are there.
func TestConformance(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "conformance")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no conformance scripts beside the checkout: %v", err)
	}
	testscript.Run(t, testscript.Params{Dir: dir, RequireExplicitExec: true})
}
