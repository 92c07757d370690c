package check

import (
	"encoding/json"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// WriteSARIF writes findings as one SARIF 2.1.0 log: a run of this tool with the
// rules that were broken, out of the registry of codes, and a result a finding.
// Lines and columns count from 1 and columns count UTF-16 code units, which is
// what the viewers of such logs expect. The same findings give the same bytes.
func WriteSARIF(w io.Writer, list []Diagnostic, version string) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: make([]sarifResult, len(list))}
	rules, index := sarifRules(list)
	run.Tool.Driver = sarifDriver{
		Name: "koru", Version: version, InformationURI: "https://github.com/koru-go/koru", Rules: rules,
	}
	for i := range list {
		run.Results[i] = sarifResultOf(&list[i], index)
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// The parts of a log, named as in the standard.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string        `json:"id"`
		Short         *sarifMessage `json:"shortDescription,omitempty"`
		Full          *sarifMessage `json:"fullDescription,omitempty"`
		Help          *sarifHelp    `json:"help,omitempty"`
		Configuration *sarifLevel   `json:"defaultConfiguration,omitempty"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID     string           `json:"ruleId,omitempty"`
		RuleIndex  *int             `json:"ruleIndex,omitempty"`
		Level      string           `json:"level"`
		Message    sarifMessage     `json:"message"`
		Locations  []sarifLocation  `json:"locations"`
		Related    []sarifLocation  `json:"relatedLocations,omitempty"`
		Fixes      []sarifFix       `json:"fixes,omitempty"`
		Properties *sarifProperties `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID       *int          `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
		ByteOffset  int `json:"byteOffset"`
		ByteLength  int `json:"byteLength"`
	}
	sarifFix struct {
		Description sarifMessage     `json:"description"`
		Changes     []sarifChange    `json:"artifactChanges"`
		Properties  *sarifProperties `json:"properties,omitempty"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion   `json:"deletedRegion"`
		Inserted *sarifMessage `json:"insertedContent,omitempty"`
	}
	// sarifProperties are what the standard has no name for.
	sarifProperties struct {
		Sub  string `json:"sub,omitempty"`
		Safe *bool  `json:"safe,omitempty"`
	}
)

// sarifRules lists the codes of findings in the order of the registry, and where
// each stands in that list.
func sarifRules(list []Diagnostic) (rules []sarifRule, index map[string]int) {
	broken := map[string]bool{}
	for i := range list {
		broken[list[i].Code] = true
	}
	rules, index = []sarifRule{}, map[string]int{}
	for _, c := range Codes() {
		if broken[c.Name] {
			index[c.Name] = len(rules)
			rules = append(rules, sarifRuleOf(c))
		}
	}
	return rules, index
}

func sarifRuleOf(c Code) sarifRule {
	r := sarifRule{
		ID:            c.Name,
		Short:         &sarifMessage{c.Title},
		Configuration: &sarifLevel{c.Severity.String()},
	}
	if c.Text != "" {
		r.Full = &sarifMessage{c.Text}
	}
	if c.Wrong != "" {
		r.Help = &sarifHelp{
			Text:     c.Text + "\n\nWrong:\n\n" + c.Wrong + "\nRight:\n\n" + c.Right,
			Markdown: c.Text + "\n\nWrong:\n\n```koru\n" + c.Wrong + "```\n\nRight:\n\n```koru\n" + c.Right + "```\n",
		}
	}
	return r
}

func sarifResultOf(d *Diagnostic, index map[string]int) sarifResult {
	r := sarifResult{
		RuleID:    d.Code,
		Level:     d.Severity.String(),
		Message:   sarifMessage{d.Message},
		Locations: []sarifLocation{{Physical: sarifPlace(d.File, d.Span)}},
	}
	if i, ok := index[d.Code]; ok {
		r.RuleIndex = &i
	}
	if d.Sub != "" {
		r.Properties = &sarifProperties{Sub: d.Sub}
	}
	for i, n := range d.Notes {
		r.Related = append(r.Related, sarifLocation{ID: &i, Physical: sarifPlace(n.File, n.Span), Message: &sarifMessage{n.Message}})
	}
	for i := range d.Fixes {
		r.Fixes = append(r.Fixes, sarifFixOf(&d.Fixes[i]))
	}
	return r
}

// sarifFixOf groups the edits of a fix by file, in the order in which the files
// come first.
func sarifFixOf(f *Fix) sarifFix {
	out := sarifFix{Description: sarifMessage{f.Title}, Properties: &sarifProperties{Safe: &f.Safe}}
	at := map[string]int{}
	for _, e := range f.Edits {
		i, ok := at[e.File.Path]
		if !ok {
			i = len(out.Changes)
			at[e.File.Path] = i
			out.Changes = append(out.Changes, sarifChange{Artifact: sarifArtifact{sarifURI(e.File.Path)}})
		}
		r := sarifReplacement{Deleted: sarifRegionOf(e.File, e.Span)}
		if e.Text != "" {
			r.Inserted = &sarifMessage{e.Text}
		}
		out.Changes[i].Replacements = append(out.Changes[i].Replacements, r)
	}
	return out
}

func sarifPlace(f *File, span syntax.Span) sarifPhysical {
	return sarifPhysical{sarifArtifact{sarifURI(f.Path)}, sarifRegionOf(f, span)}
}

func sarifRegionOf(f *File, span syntax.Span) sarifRegion {
	from, to := f.Syntax.Position(span.Start, syntax.UTF16), f.Syntax.Position(span.End, syntax.UTF16)
	return sarifRegion{
		StartLine: from.Line + 1, StartColumn: from.Column + 1,
		EndLine: to.Line + 1, EndColumn: to.Column + 1,
		ByteOffset: span.Start, ByteLength: span.End - span.Start,
	}
}

// sarifURI returns a path as a reference: relative to wherever the log's reader
// looks for the files, or of a file if the path was given from the root.
func sarifURI(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	u := url.URL{Path: path.Clean(name)}
	if strings.HasPrefix(name, "/") {
		u.Scheme = "file"
	}
	return u.String() // puts ./ in front of a first segment that would read as a scheme
}
