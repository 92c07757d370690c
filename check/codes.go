package check

import (
	_ "embed"
	"strings"
	"sync"
)

// Status says what this toolchain does with a code.
type Status uint8

// The statuses of a code.
const (
	Judged   Status = iota // reported by this checker
	Reserved               // the number is taken; nothing is reported under it today
	Retired                // it was a rule of an older language
	Foreign                // it belongs to a library transform, which nothing here expands (R1)
)

func (s Status) String() string {
	return [...]string{"judged", "reserved", "retired", "library"}[s]
}

// Code describes one code of the language (language.md 12.2): what it means,
// a program that has it and one that does not.
type Code struct {
	Name     string // KORU022
	Title    string // in one line
	Severity Severity
	Status   Status
	Text     string // why the rule is there and what to do, as Markdown
	// Wrong is a program with exactly one finding of this code, whose message
	// contains Says; Right is the same program mended. Either may be an archive
	// of files (-- name --), whose first file is the entry. They are empty for a
	// code that is not judged.
	Wrong, Says, Right string
	// Runs means that the example is judged as before a run.
	Runs bool
}

//go:embed codes.md
var codesPage string

// codes reads the registry once; most runs of the program need none of it.
var codes = sync.OnceValue(func() []Code { return parseCodes(codesPage) })

// Codes returns the registry of all codes, in the order of the manual.
func Codes() []Code { return codes() }

// Explain returns the entry of a code, written in any case, or nil.
func Explain(name string) *Code {
	list := codes()
	for i := range list {
		if strings.EqualFold(list[i].Name, name) {
			return &list[i]
		}
	}
	return nil
}

// NearestCode returns the code that a misspelled one was probably meant to be.
func NearestCode(name string) string {
	var names []string
	for _, c := range codes() {
		names = append(names, c.Name)
	}
	return Nearest(strings.ToUpper(name), names)
}

// CodesPage returns the manual of codes as Markdown.
func CodesPage() string { return codesPage }

// parseCodes reads the registry from the manual: one section a code, headed
// "### CODE title", then a line with its severity or status in italics, prose,
// a fence ```koru wrong, the fragment as a quotation, a fence ```koru right.
func parseCodes(page string) []Code {
	var list []Code
	for _, section := range strings.Split("\n"+page, "\n### ")[1:] {
		section, _, _ = strings.Cut(section, "\n## ")
		list = append(list, parseCode(section))
	}
	return list
}

func parseCode(section string) Code {
	head, body, _ := strings.Cut(section, "\n")
	c := Code{}
	c.Name, c.Title, _ = strings.Cut(head, " ")
	var text []string
	for body != "" {
		var line string
		line, body, _ = strings.Cut(body, "\n")
		switch {
		case strings.HasPrefix(line, "*") && strings.HasSuffix(line, "*") && text == nil:
			c.status(strings.Trim(line, "*"))
		case strings.HasPrefix(line, "```koru "):
			program, rest, _ := strings.Cut(body, "```\n")
			body = rest
			c.example(strings.Fields(line)[1:], program)
		case strings.HasPrefix(line, "> ") && c.Wrong != "" && c.Says == "":
			c.Says = strings.TrimPrefix(line, "> ")
		case line != "" || text != nil:
			text = append(text, line)
		}
	}
	c.Text = strings.TrimSpace(strings.Join(text, "\n"))
	return c
}

func (c *Code) status(word string) {
	switch word {
	case "warning":
		c.Severity = Warning
	case "reserved":
		c.Status = Reserved
	case "retired":
		c.Status = Retired
	case "library":
		c.Status = Foreign
	}
}

func (c *Code) example(words []string, program string) {
	for _, w := range words {
		switch w {
		case "wrong":
			c.Wrong = program
		case "right":
			c.Right = program
		case "runs":
			c.Runs = true
		}
	}
}
