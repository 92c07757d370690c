package stress

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/eval/js"
	"github.com/koru-go/koru/stdlib"
)

// servedVariable is the world on which this test binary serves a session, in
// the place of koru bridge.
const servedVariable = "KORU_TEST_SERVE"

func TestMain(m *testing.M) {
	if world := os.Getenv(servedVariable); world != "" {
		serve(world)
		return
	}
	os.Exit(m.Run())
}

func serve(world string) {
	program, err := link("cabinet.k", cabinet, stdlib.Bodies(), &js.Target{})
	if err != nil {
		panic(err)
	}
	b, err := bridge.Create(bridge.Options{ID: killedID, Program: program, Scope: "cabinet", World: world, Sync: true})
	if err != nil {
		panic(err)
	}
	if err := bridge.NewDoor(os.Stdin, os.Stdout, 0).Open(context.Background(), b); err != nil {
		panic(err)
	}
}

// Killed at any moment of a session with a world, a process leaves all that it
// had acknowledged and nothing that it would not have written next; the next
// session has the definitions and holds nothing. KORU_KILLS says how often to
// try.
func TestKill(t *testing.T) {
	k := Kill{Times: 40, Replies: 20, Seed: 1, Session: func(_, world, _ string) *exec.Cmd {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), servedVariable+"="+world)
		return cmd
	}}
	if n := os.Getenv("KORU_KILLS"); n != "" {
		var err error
		if k.Times, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
	}
	r, err := k.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range r.Faults {
		t.Error(fault)
	}
	if !r.Holds() || r.Acknowledged == 0 || r.Entries == 0 || r.Definitions == 0 {
		t.Error(fmt.Sprintf("%+v", *r))
	}
	t.Logf("%+v", *r)
}
