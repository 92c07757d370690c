//go:build linux || darwin

package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
)

// pointVariable names the moment at which a scripted session kills itself.
const pointVariable = "KORU_TEST_POINT"

// scripted is what a session sends; each reply calls at most one body.
var scripted = []struct{ name, reply, body string }{
	{"define", packSource, ""},
	{"unlock", `unlock(door: "north") | opened r |>`, "unlock"},
	{"pack", `pack(room: r1, crate: "C1") | stowed |> | full |>`, "stow"},
	{"seal", `seal(room: r1)`, "seal"},
}

// Killed at a named moment, a session leaves all that it has acknowledged and
// nothing that it had not begun; the world mounts without a word, and what the
// dead session held is on record and held by nobody.
func TestKilledAtNamedPoints(t *testing.T) {
	if point := os.Getenv(pointVariable); point != "" {
		playScripted(t, point, os.Getenv(worldVariable))
		return
	}
	points := []string{"mounted"}
	for _, s := range scripted {
		points = append(points, "before "+s.name, "after "+s.name)
		if s.body != "" {
			points = append(points, "in "+s.body)
		}
	}
	if len(points) != 12 {
		t.Fatalf("there are %d points", len(points))
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			dir := t.TempDir()
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe, "-test.run=^TestKilledAtNamedPoints$")
			cmd.Env = append(os.Environ(), pointVariable+"="+point, worldVariable+"="+dir)
			out, err := cmd.Output()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("the session ended by itself: %v\n%s", err, out)
			}
			acknowledged := func(name string) bool { return bytes.Contains(out, []byte("done "+name+"\n")) }

			next := openPantry(t, inWorld(dir, "b"))
			if next.log.Len() > 0 {
				t.Errorf("the mount said %q", next.log.String())
			}
			if got, want := next.Words().Verb("pack") != nil, acknowledged("define"); got != want {
				t.Errorf("the world has 'pack': %v, acknowledged: %v", got, want)
			}
			text, err := os.ReadFile(dir + "/pack.k")
			if acknowledged("define") && string(text) != packSource+"\n" || !acknowledged("define") && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("pack.k holds %q, %v", text, err)
			}
			if len(next.Held()) > 0 {
				t.Errorf("the next session holds %v", next.Held())
			}
			var minted, discharged int
			state := next.world.Ledger()
			for _, s := range state.Sessions {
				minted, discharged = s.Minted, s.Discharged
			}
			if minted != count(acknowledged("unlock")) || discharged != count(acknowledged("seal")) || state.Stray != nil || state.Torn != nil {
				t.Errorf("acknowledged %q; the ledger has %d mints, %d discharges, %+v", out, minted, discharged, state)
			}
			if err := next.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// playScripted sends the script, prints what was acknowledged, and dies.
func playScripted(t *testing.T, point, dir string) {
	reach := func(p string) {
		if p == point {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	b := openPantry(t, inWorld(dir, "a"), func(o *Options) {
		o.Interpose = func(bodies Server) Server {
			return func(ctx context.Context, v *check.Verb, args []eval.Value) (eval.Outcome, error) {
				reach("in " + v.Name)
				return bodies(ctx, v, args)
			}
		}
	})
	reach("mounted")
	for _, s := range scripted {
		reach("before " + s.name)
		if turn := b.send(s.reply); turn.Tier != TierResult && turn.Tier != TierDefined {
			t.Fatal(strings.Join(turn.Trace(), "\n"))
		}
		fmt.Printf("done %s\n", s.name)
		reach("after " + s.name)
	}
}
