package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/check"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/internal/source"
)

func checkCommand() *cobra.Command {
	c := &checking{}
	var discharge string
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Report what is wrong with programs",
		Long: `Check programs: names, arguments, outcomes, bindings, types, possession and
register blocks. A folder means every Koru file under it; - is standard input;
no PATH means the current folder.

--fix carries out the fixes that keep the meaning of a program, in the named
files only, and reports what is left. With --program the paths are definitions
of a world, which are judged as a session on the scope judges them.

Exit code 1 says that there are errors.`,
		Example: indent("koru check", "koru check --json shop.k", "koru check --fix .",
			"koru check --program sandbox.k --scope sandbox world/sweep.k"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.cmd = cmd
			switch discharge {
			case "insert", "disable":
			default:
				return usageError{cmd, "--auto-discharge is insert or disable, not '" + discharge + "'"}
			}
			if err := c.usage(args); err != nil {
				return err
			}
			opts, err := options()
			if err != nil {
				return err
			}
			opts.NoAutoDischarge = discharge == "disable"
			c.opts = opts
			return c.run(opts, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.json, "json", false, "print one JSON object a finding")
	flags.BoolVar(&c.sarif, "sarif", false, "print a SARIF 2.1.0 log")
	flags.BoolVar(&c.github, "github", false, "print annotations for GitHub Actions")
	flags.BoolVar(&c.facts, "facts", false, "print one JSON object a flow, verb and definition: costs, ends, obligations, what is inserted")
	flags.BoolVar(&c.fix, "fix", false, "carry out the fixes that keep the meaning of a program")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "print nothing: the exit code says it all")
	flags.StringVar(&c.program, "program", "", "judge the files as definitions of a world, for a scope of this program")
	flags.StringVar(&c.scope, "scope", "", "the scope of --program")
	flags.StringVar(&discharge, "auto-discharge", "insert", "insert: let go of what a path still holds; disable: report it")
	return cmd
}

// checking is one run of the command.
type checking struct {
	cmd                        *cobra.Command
	json, sarif, github, facts bool
	fix, quiet                 bool
	program, scope             string
	opts                       check.Options

	list   []check.Diagnostic
	known  []check.Fact
	failed bool // something could not be read or written
}

// usage refuses flags that do not go together.
func (c *checking) usage(args []string) error {
	forms := 0
	for _, asked := range []bool{c.json, c.sarif, c.github, c.facts} {
		if asked {
			forms++
		}
	}
	switch {
	case forms > 1:
		return usageError{c.cmd, "--json, --sarif, --github and --facts are forms of one output: choose one"}
	case c.fix && slices.Contains(args, "-"):
		return usageError{c.cmd, "--fix writes files: standard input is none"}
	case c.fix && c.program != "":
		return usageError{c.cmd, "--fix mends programs: it does not go with --program"}
	case c.scope != "" && c.program == "":
		return usageError{c.cmd, "--scope names a scope of a program: say which with --program"}
	}
	return nil
}

func (c *checking) run(opts check.Options, args []string) error {
	names, err := source.Files(args)
	if err != nil {
		return err
	}
	programs, definitions := c.sort(names)
	if err := c.judge(opts, programs); err != nil {
		return err
	}
	if err := c.inspect(definitions); err != nil {
		return err
	}
	c.list = check.SortDiagnostics(c.list)
	if err := c.print(); err != nil {
		return err
	}
	if c.failed || slices.ContainsFunc(c.list, func(d check.Diagnostic) bool { return d.Severity == check.Error }) {
		return errFindings
	}
	return nil
}

// sort tells the definitions of worlds from programs (R50).
func (c *checking) sort(names []string) (programs, definitions []string) {
	for _, name := range names {
		if c.program != "" || name != "-" && source.InWorld(name) {
			definitions = append(definitions, name)
		} else {
			programs = append(programs, name)
		}
	}
	return programs, definitions
}

// judge judges programs: with --fix after they were mended.
func (c *checking) judge(opts check.Options, names []string) error {
	checker := check.NewChecker(opts)
	if c.fix {
		return c.mend(checker, distinct(names))
	}
	for _, name := range names {
		p, err := checkFile(c.cmd, checker, name)
		if err != nil {
			return err
		}
		c.list = append(c.list, p.Diagnostics...)
		if c.facts {
			c.known = append(c.known, p.Facts()...)
		}
	}
	return nil
}

// mend carries out the safe fixes of programs, says what was done, and writes
// the files that change.
func (c *checking) mend(checker *check.Checker, names []string) error {
	named := map[string]bool{}
	for _, name := range names {
		named[absolute(name)] = true
	}
	slashed := make([]string, len(names))
	for i, name := range names {
		slashed[i] = filepath.ToSlash(name)
	}
	m, err := checker.Mend(slashed, nil, func(path string) bool { return named[absolute(filepath.FromSlash(path))] })
	if err != nil {
		return err
	}
	if err := writeMended(m.Files); err != nil {
		c.failed, c.fix = true, false
		fmt.Fprintf(c.cmd.ErrOrStderr(), "koru: %s\n", err)
		return c.judge(c.opts, names) // the findings are those of the files as they are
	}
	c.list = m.Left
	for _, d := range m.Fixed {
		c.say("fixed %s: %s: %s", place(d), d.Code, d.Fixes[0].Title)
	}
	for _, d := range m.Barred {
		c.say("left %s: %s: its fix would change a file that was not named", place(d), d.Code)
	}
	if n := len(m.Fixed); n > 0 {
		noun := "fixes"
		if n == 1 {
			noun = "fix"
		}
		c.say("koru: %d %s in %s", n, noun, count(len(m.Files), "file"))
	}
	return nil
}

// writeMended writes the files of a mending, all of them or none as far as files
// allow; the error says which were written all the same.
func writeMended(files []check.MendedFile) error {
	changes := make([]source.Change, len(files))
	for i, f := range files {
		changes[i] = source.Change{Name: filepath.FromSlash(f.Path), Old: []byte(f.Before), New: []byte(f.After)}
	}
	changed, err := source.ReplaceAll(changes)
	switch {
	case err == nil:
		return nil
	case len(changed) == 0 && len(files) == 1:
		return errors.New(reason(err))
	case len(changed) == 0:
		return fmt.Errorf("%s; no file was changed", reason(err))
	}
	return fmt.Errorf("%s; changed before that: %s", reason(err), strings.Join(changed, ", "))
}

func (c *checking) say(format string, args ...any) {
	if !c.quiet {
		fmt.Fprintf(c.cmd.ErrOrStderr(), format+"\n", args...)
	}
}

// place names where a finding begins.
func place(d check.Diagnostic) string {
	line := d.File.Syntax.LineOf(d.Span.Start)
	return fmt.Sprintf("%s:%d:%d", d.File.Path, line+1, d.Span.Start-d.File.Syntax.LineStart(line)+1)
}

func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// distinct drops names of files that are named twice, also by a symbolic link.
func distinct(names []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, name := range names {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			real = name
		}
		if real = absolute(real); !seen[real] {
			seen[real] = true
			out = append(out, name)
		}
	}
	return out
}

// inspect judges definitions of worlds: each among all of its world, those that
// lie in none among each other.
func (c *checking) inspect(names []string) error {
	if len(names) == 0 {
		return nil
	}
	prog, scope, err := c.session()
	if err != nil {
		return err
	}
	var worlds []string
	byWorld := map[string][]string{}
	for _, name := range names {
		dir := source.WorldOf(name)
		if byWorld[dir] == nil {
			worlds = append(worlds, dir)
		}
		byWorld[dir] = append(byWorld[dir], name)
	}
	for _, dir := range worlds {
		if err := c.inspectWorld(prog, scope, dir, byWorld[dir]); err != nil {
			return err
		}
	}
	return nil
}

// session returns the program and the scope that definitions are judged for.
func (c *checking) session() (*eval.Program, string, error) {
	if c.program == "" {
		return nil, "", nil
	}
	prog, err := linkFile(c.cmd, c.program, false)
	if err != nil {
		return nil, "", err
	}
	scope, err := (&sessionFlags{scope: c.scope}).scopeOf(c.cmd, prog.Checked(), c.program)
	return prog, scope, err
}

// inspectWorld judges the named definitions of one world; dir is "" for files
// that lie in none.
func (c *checking) inspectWorld(prog *eval.Program, scope, dir string, names []string) error {
	shown := map[string]string{} // by the name in the world
	var files []bridge.WorldFile
	for _, name := range names {
		inside := filepath.ToSlash(name)
		if dir != "" {
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				return err
			}
			inside = filepath.ToSlash(rel)
		} else {
			text, err := readSource(c.cmd, name)
			if err != nil {
				return err
			}
			files = append(files, bridge.WorldFile{Name: inside, Text: text})
		}
		shown[inside] = name
	}
	if dir != "" {
		all, err := bridge.ReadDefinitions(dir)
		if err != nil {
			return err
		}
		files = all
	}
	found, err := bridge.Inspect(prog, scope, files)
	if err != nil {
		return err
	}
	named := map[*check.File]bool{}
	for _, f := range found.Files {
		if name, ok := shown[f.Path]; ok {
			f.Path, named[f] = filepath.ToSlash(name), true
		}
	}
	for _, d := range found.Diagnostics {
		if named[d.File] {
			c.list = append(c.list, d)
		}
	}
	for _, d := range found.Definitions {
		if named[d.File] && c.facts {
			c.known = append(c.known, check.DefinitionFact(scope, d.File, d.Decl, d.Verb))
		}
	}
	return nil
}

// print writes what was found in the form that was asked for.
func (c *checking) print() error {
	out := c.cmd.OutOrStdout()
	switch {
	case c.quiet:
		return nil
	case c.json:
		return check.WriteJSON(out, c.list)
	case c.sarif:
		return check.WriteSARIF(out, c.list, versionName())
	case c.github:
		return check.WriteGitHub(out, c.list)
	case c.facts:
		if err := check.WriteFacts(out, c.known); err != nil {
			return err
		}
	}
	return printText(c.cmd, c.list)
}
