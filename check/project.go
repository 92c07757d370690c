package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/koru-go/koru/syntax"
)

// projectFile is the name of the file that describes a project.
const projectFile = "koru.json"

// project is a koru.json: the name and version of a package, its entry file and
// the path aliases that its imports may start with (language.md 4).
type project struct {
	dir   string // where the file stands, in Options.Files
	Name  string
	Entry string
	paths map[string]string // alias to folder, in Options.Files

	file   *File // for findings; nil if there is no koru.json
	faults []Diagnostic
}

// Project is what the nearest koru.json says about a folder.
type Project struct {
	Path  string // of the koru.json, as Options.Dir sees it; "" if there is none
	Name  string
	Entry string // the entry file, as Options.Dir sees it; "" if none is named
}

// Project returns what the koru.json nearest to a folder says.
func (c *Checker) Project(dir string) Project {
	p := c.project(c.full(dir))
	if p.file == nil {
		return Project{}
	}
	out := Project{Path: p.file.Path, Name: p.Name}
	if p.Entry != "" {
		out.Entry = c.show(path.Join(p.dir, p.Entry), false)
	}
	return out
}

// project returns the koru.json nearest to a folder of Options.Files, looking
// upwards; the project of a folder without one has no aliases.
func (c *Checker) project(dir string) *project {
	if dir == "." || dir == "" {
		dir = ""
	}
	c.mu.Lock()
	p := c.projects[dir]
	c.mu.Unlock()
	if p != nil {
		return p
	}
	text, err := readFile(c.opts.Files, path.Join(dir, projectFile))
	switch {
	case err == nil:
		p = parseProject(dir, c.show(path.Join(dir, projectFile), false), string(text))
	case dir == "":
		p = &project{}
	default:
		p = c.project(strings.TrimSuffix(path.Dir(dir), "."))
	}
	c.mu.Lock()
	c.projects[dir] = p
	c.mu.Unlock()
	return p
}

// parseProject reads a koru.json. What is wrong with it becomes a finding; what
// is right in it still counts.
func parseProject(dir, name, text string) *project {
	p := &project{dir: dir, paths: map[string]string{}}
	// Seen as a host file it is one item of plain text, which is all that a
	// finding needs: lines to point at.
	p.file = &File{Path: name, Syntax: syntax.Parse(name, syntax.Zig, text)}
	var raw struct {
		Name    string            `json:"name"`
		Version string            `json:"version"`
		Entry   string            `json:"entry"`
		Paths   map[string]string `json:"paths"`
	}
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		p.fault(jsonFault(text, err))
	}
	p.Name, p.Entry = raw.Name, raw.Entry
	aliases := make([]string, 0, len(raw.Paths))
	for alias := range raw.Paths {
		aliases = append(aliases, alias)
	}
	slices.Sort(aliases)
	for _, alias := range aliases {
		switch span := jsonKey(text, alias); {
		case !isAlias(alias):
			p.fault(span, fmt.Sprintf("the path alias %q is no name: letters, digits and _ only", alias))
		case alias == "app":
			p.fault(span, "the path alias 'app' always means the folder of the entry file: choose another name")
		default:
			p.paths[alias] = under(dir, raw.Paths[alias])
		}
	}
	return p
}

func (p *project) fault(span syntax.Span, message string) {
	p.faults = append(p.faults, Diagnostic{
		Code: "KORU172", File: p.file, Span: span, Message: projectFile + ": " + message,
	})
}

// jsonFault says where and why a JSON text does not fit a koru.json.
func jsonFault(text string, err error) (syntax.Span, string) {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		at := min(int(wrong.Offset), len(text))
		want := "a text"
		if wrong.Field == "paths" {
			want = "an object that maps aliases to folders"
		} else if wrong.Field == "" {
			want = "an object with name, version, entry and paths"
		}
		what := "'" + wrong.Field + "'"
		if wrong.Field == "" {
			what = "the file"
		}
		return syntax.Span{Start: max(at-1, 0), End: at}, fmt.Sprintf("%s wants %s, found a %s", what, want, wrong.Value)
	}
	at := len(text)
	var broken *json.SyntaxError
	if errors.As(err, &broken) {
		at = min(int(broken.Offset), len(text))
	}
	return syntax.Span{Start: max(at-1, 0), End: at}, "this is not JSON: " + strings.TrimPrefix(err.Error(), "json: ")
}

// jsonKey finds where a key is written.
func jsonKey(text, key string) syntax.Span {
	quoted, _ := json.Marshal(key)
	i := strings.Index(text, string(quoted))
	if i < 0 {
		return syntax.Span{}
	}
	return syntax.Span{Start: i, End: i + len(quoted)}
}

// isAlias reports whether a name may start an import path.
func isAlias(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// under resolves a folder that a project file or a block names, relative to dir
// unless it is absolute.
func under(dir, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") {
		return strings.TrimPrefix(path.Clean(name), "/")
	}
	return path.Join(dir, name)
}
