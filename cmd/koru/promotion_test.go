package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The walk through promotion shows what its script has run: every command of
// docs/promotion.md is one of the script, and prints what stands below it.
func TestPromotionWalk(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "promotion.md"))
	must(t, err)
	script, err := os.ReadFile(filepath.Join("testdata", "script", "promotion.txtar"))
	must(t, err)
	blocks := strings.Split(string(doc), "```console\n")[1:]
	if len(blocks) < 5 {
		t.Fatalf("the walk has %d commands", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		command, output, _ := strings.Cut(block, "\n")
		command = "exec " + strings.TrimPrefix(command, "$ ")
		if !strings.Contains(string(script), command+"\n") {
			t.Errorf("the script does not run: %s", command)
		}
		if output != "" && !strings.Contains(string(script), "--\n"+output) {
			t.Errorf("%s does not print\n%s", command, output)
		}
	}
}
