package check_test

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/syntax"
)

// markerFindings are the findings of all programs in testdata/rules.
func markerFindings(t *testing.T) []check.Diagnostic {
	t.Helper()
	var list []check.Diagnostic
	for _, file := range glob(t, "testdata/rules/*.k*") {
		for _, chunk := range chunks(read(t, file)) {
			name := filepath.Base(file)
			opts := options(chunk)
			opts.Files = fstest.MapFS{name: {Data: []byte(chunk)}}
			p, err := check.Load(name, opts)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, p.Diagnostics...)
		}
	}
	if len(list) < 300 {
		t.Fatalf("only %d findings", len(list))
	}
	return list
}

func rendered(t *testing.T, list []check.Diagnostic, write func(io.Writer, []check.Diagnostic) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sarif(w io.Writer, list []check.Diagnostic) error { return check.WriteSARIF(w, list, "v1.2.3") }

func validate(t *testing.T, log []byte) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(filepath.Join("testdata", "sarif-schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("no valid log: %v", err)
	}
}

func TestSARIFIsValid(t *testing.T) {
	list := markerFindings(t)
	validate(t, rendered(t, list, sarif))
	validate(t, rendered(t, nil, sarif))
}

func TestSARIFIsTheSameEachTime(t *testing.T) {
	if diff := cmp.Diff(string(rendered(t, markerFindings(t), sarif)), string(rendered(t, markerFindings(t), sarif))); diff != "" {
		t.Error(diff)
	}
}

// A log in full: the rule out of the registry, columns in UTF-16 code units,
// the note as a related location, the edits of the fix by file.
func TestSARIF(t *testing.T) {
	d := finding("my shop/a.k", "f(x: \"🎉\", «é»)\n")
	d.Code, d.Message, d.Sub = "KORU023", `say <x> & "y"`, "kind"
	other := finding("/lib/b:c.k", "«y»")
	d.Notes = []check.Note{{File: other.File, Span: other.Span, Message: "there"}}
	d.Fixes = []check.Fix{{Title: "mend", Safe: true, Edits: []check.TextEdit{{File: d.File, Span: d.Span}, {File: other.File, Span: other.Span, Text: "z"}}}}
	log := rendered(t, []check.Diagnostic{d}, sarif)
	validate(t, log)
	var got struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct {
						ID               string
						ShortDescription struct{ Text string }
						Help             struct{ Markdown string }
					}
				}
			}
			ColumnKind string
			Results    []json.RawMessage
		}
	}
	if err := json.Unmarshal(log, &got); err != nil {
		t.Fatal(err)
	}
	run := got.Runs[0]
	if driver := run.Tool.Driver; driver.Name != "koru" || driver.Version != "v1.2.3" || len(driver.Rules) != 1 ||
		driver.Rules[0].ID != "KORU023" || driver.Rules[0].ShortDescription.Text != check.Explain("KORU023").Title ||
		!strings.Contains(driver.Rules[0].Help.Markdown, "```koru\n"+check.Explain("KORU023").Right+"```\n") {
		t.Errorf("driver: %+v", driver)
	}
	if run.ColumnKind != "utf16CodeUnits" || got.Version != "2.1.0" {
		t.Errorf("%+v", got)
	}
	var result bytes.Buffer
	if err := json.Compact(&result, run.Results[0]); err != nil {
		t.Fatal(err)
	}
	place := `{"startLine":1,"startColumn":12,"endLine":1,"endColumn":13,"byteOffset":13,"byteLength":2}`
	there := `{"startLine":1,"startColumn":1,"endLine":1,"endColumn":2,"byteOffset":0,"byteLength":1}`
	want := `{"ruleId":"KORU023","ruleIndex":0,"level":"error","message":{"text":"say <x> & \"y\""},` +
		`"locations":[{"physicalLocation":{"artifactLocation":{"uri":"my%20shop/a.k"},"region":` + place + `}}],` +
		`"relatedLocations":[{"id":0,"physicalLocation":{"artifactLocation":{"uri":"file:///lib/b:c.k"},"region":` + there + `},"message":{"text":"there"}}],` +
		`"fixes":[{"description":{"text":"mend"},"artifactChanges":[` +
		`{"artifactLocation":{"uri":"my%20shop/a.k"},"replacements":[{"deletedRegion":` + place + `}]},` +
		`{"artifactLocation":{"uri":"file:///lib/b:c.k"},"replacements":[{"deletedRegion":` + there + `,"insertedContent":{"text":"z"}}]}],` +
		`"properties":{"safe":true}}],"properties":{"sub":"kind"}}`
	if diff := cmp.Diff(want, result.String()); diff != "" {
		t.Error(diff)
	}
}

// A path is a reference whatever stands in it.
func TestSARIFPaths(t *testing.T) {
	for name, want := range map[string]string{
		"a.k": "a.k", "./a.k": "a.k", "../x/a.k": "../x/a.k", "-": "-", "/x y/é.k": "file:///x%20y/%C3%A9.k",
		"c:a.k": "./c:a.k", "a?b#c%.k": "a%3Fb%23c%25.k", `dir\a.k`: "dir/a.k",
	} {
		log := rendered(t, []check.Diagnostic{finding(name, "«x»")}, sarif)
		validate(t, log)
		if !bytes.Contains(log, []byte(`"uri": "`+want+`"`)) {
			t.Errorf("%s: want %s in\n%s", name, want, log)
		}
	}
}

// A command is one line, whatever a message or a path holds.
func TestGitHub(t *testing.T) {
	d := finding("a,b:c%.k", "x(«🎉»)\ny")
	d.Message = "50% of\r\nthis: that, ::error::"
	warning := finding("a.k", "«x\ny»")
	warning.Severity = check.Warning
	warning.Notes = []check.Note{{File: d.File, Span: d.Span, Message: "see\nhere"}}
	want := "::error file=a%2Cb%3Ac%25.k,line=1,endLine=1,col=3,endColumn=5,title=KORU022::50%25 of%0D%0Athis: that, ::error::\n" +
		"::warning file=a.k,line=1,endLine=2,title=KORU022::message%0Aa,b:c%25.k:1:3: see%0Ahere\n"
	if diff := cmp.Diff(want, string(rendered(t, []check.Diagnostic{d, warning}, check.WriteGitHub))); diff != "" {
		t.Error(diff)
	}
}

// told is what every form of output has to say about a finding.
type told struct {
	Code, Severity, Message string
	Line, Column            int // where it begins, the column in bytes
}

// All forms of output tell the same story.
func TestOutputsAgree(t *testing.T) {
	list := markerFindings(t)
	var want []told
	for _, d := range list {
		at := d.File.Syntax.Position(d.Span.Start, syntax.UTF8)
		want = append(want, told{d.Code, d.Severity.String(), d.Message, at.Line + 1, at.Column + 1})
	}
	for name, got := range map[string][]told{
		"text":   toldByText(t, list),
		"json":   toldByJSON(t, list),
		"sarif":  toldBySARIF(t, list),
		"github": toldByGitHub(t, list),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s tells another story (-want +got)\n%s", name, diff)
		}
	}
}

func toldByText(t *testing.T, list []check.Diagnostic) (out []told) {
	t.Helper()
	text := string(rendered(t, list, func(w io.Writer, list []check.Diagnostic) error {
		return check.WriteText(w, list, check.TextStyle{})
	}))
	form := regexp.MustCompile(`(?m)^(error|warning)\[(\w+)\]: (.*)\n  --> [^:]+:(\d+):(\d+)$`)
	for _, m := range form.FindAllStringSubmatch(text, -1) {
		out = append(out, told{m[2], m[1], m[3], number(t, m[4]), number(t, m[5])})
	}
	return out
}

func toldByJSON(t *testing.T, list []check.Diagnostic) (out []told) {
	t.Helper()
	for line := range bytes.Lines(rendered(t, list, check.WriteJSON)) {
		var d struct {
			Code, Severity, Message string
			Range                   struct{ Start struct{ Line, Column int } }
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		out = append(out, told{d.Code, d.Severity, d.Message, d.Range.Start.Line, d.Range.Start.Column})
	}
	return out
}

func toldBySARIF(t *testing.T, list []check.Diagnostic) (out []told) {
	t.Helper()
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						Region struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(rendered(t, list, sarif), &log); err != nil {
		t.Fatal(err)
	}
	for i, r := range log.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation.Region
		out = append(out, told{r.RuleID, r.Level, r.Message.Text, at.StartLine, inBytes(list[i], at.StartLine, at.StartColumn)})
	}
	return out
}

func toldByGitHub(t *testing.T, list []check.Diagnostic) (out []told) {
	t.Helper()
	form := regexp.MustCompile(`^::(\w+) file=[^,]+,line=(\d+),endLine=\d+(?:,col=(\d+),endColumn=\d+)?,title=(\w+)::(.*?)(%0A.*)?\n$`)
	i := 0
	for line := range strings.Lines(string(rendered(t, list, check.WriteGitHub))) {
		m := form.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no command: %s", line)
		}
		at := told{m[4], m[1], strings.ReplaceAll(m[5], "%25", "%"), number(t, m[2]), 0}
		if m[3] != "" {
			at.Column = inBytes(list[i], at.Line, number(t, m[3]))
		} else { // a range over several lines has no columns
			at.Column = list[i].File.Syntax.Position(list[i].Span.Start, syntax.UTF8).Column + 1
		}
		out = append(out, at)
		i++
	}
	return out
}

// inBytes converts a column of UTF-16 code units.
func inBytes(d check.Diagnostic, line, column int) int {
	f := d.File.Syntax
	return f.Position(f.Offset(syntax.Position{Line: line - 1, Column: column - 1}, syntax.UTF16), syntax.UTF8).Column + 1
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
