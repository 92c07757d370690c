package check_test

import (
	"regexp"
	"testing"

	"github.com/koru-go/koru/check"
)

// advice is what a message says that tells a reader what to do.
var advice = regexp.MustCompile(`\b(write|declare|give|bind|discharge|Discharge|Call|end it|drop|remove|move|call|handle|name|keep|rename|mark|add|leave it out|starts with)\b`)

// Four of five codes say how to mend what they find: with an edit, or in words.
func TestFindingsSayWhatToDo(t *testing.T) {
	judged, mends, advises := 0, 0, 0
	for _, c := range check.Codes() {
		if c.Status != check.Judged {
			continue
		}
		judged++
		switch d := example(t, c, c.Wrong)[0]; {
		case len(d.Fixes) > 0:
			mends++
		case advice.MatchString(d.Message):
			advises++
		default:
			t.Logf("neither: %s", show(d))
		}
	}
	t.Logf("of %d codes %d offer an edit and %d say what to do", judged, mends, advises)
	if (mends+advises)*100 < judged*80 {
		t.Errorf("%d of %d, want four of five", mends+advises, judged)
	}
}

// Every fix that is offered for an example of the manual removes the finding and
// brings up none under another code, but for a value that is still to be filled
// in and what an arm that was added owes.
func TestOfferedFixesMend(t *testing.T) {
	for _, c := range check.Codes() {
		if c.Status != check.Judged || c.Name == "KORU036" { // the name it binds is used as it was
			continue
		}
		for _, d := range example(t, c, c.Wrong) {
			for i := range d.Fixes {
				mended := exampleWith(t, c, &d.Fixes[i])
				for _, left := range mended {
					if left.Code == c.Name && left.Message == d.Message || left.Severity == check.Error && !unfinished[left.Code] {
						t.Errorf("%s: after '%s': %s", c.Name, d.Fixes[i].Title, show(left))
					}
				}
			}
		}
	}
}

// unfinished are the codes of what a fix cannot know: which value is meant, and
// what becomes of a value that it makes room for.
var unfinished = map[string]bool{"KORU030": true, "KORU100": true, "KORU022": true}

// exampleWith checks an example of the manual with a fix applied.
func exampleWith(t *testing.T, c check.Code, fix *check.Fix) []check.Diagnostic {
	t.Helper()
	texts, done := check.Apply([]*check.Fix{fix})
	if !done[0] {
		t.Fatalf("%s: '%s' cannot be carried out", c.Name, fix.Title)
	}
	files, entry := exampleFiles(c.Wrong)
	for name, text := range texts {
		files[name].Data = []byte(text)
	}
	opts := options("")
	opts.Files, opts.Runs = files, c.Runs
	p, err := check.Load(entry, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p.Diagnostics
}
