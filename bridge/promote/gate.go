package promote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/eval"
)

// maxFile bounds a file that the gate reads from a world.
const maxFile = 16 << 20

// Gate stands before one world: what a candidate goes through to get in.
type Gate struct {
	world   *bridge.World
	program *eval.Program
	scope   string
}

// Open opens the gate of the world at dir. Its sessions are on a scope of the
// program.
func Open(dir string, program *eval.Program, scope string) (*Gate, error) {
	w, err := bridge.Mount(dir, true)
	if err != nil {
		return nil, err
	}
	return &Gate{w, program, scope}, nil
}

// Close lets go of the world.
func (g *Gate) Close() error { return g.world.Close() }

// Bound is what a verdict is bound to: the SHA-256 of each thing that it
// follows from.
type Bound struct {
	Candidate string `json:"candidate_sha256"`
	Ground    string `json:"scope_sha256"` // the manifest of the scope, and the world's definitions
	Sessions  string `json:"sessions_sha256,omitempty"`
}

// Candidate is staged/NAME.json.
type Candidate struct {
	Kind    string `json:"kind"`
	Version int    `json:"version"`
	Name    string `json:"name"`
	Scope   string `json:"scope"`
	Bound
}

// Baseline is staged/NAME.baseline.json: the sessions without the candidate.
type Baseline struct {
	Kind    string `json:"kind"`
	Version int    `json:"version"`
	Name    string `json:"name"`
	Bound
	Sessions []Played `json:"sessions"`
}

// Played is one session of a baseline.
type Played struct {
	Session string `json:"session"`
	SHA256  string `json:"sha256"`
	Ledger  Ledger `json:"ledger"`
}

// Verdict is staged/NAME.verdict.json: the sessions with the candidate.
type Verdict struct {
	Kind    string `json:"kind"`
	Version int    `json:"version"`
	Name    string `json:"name"`
	Bound
	Baseline string   `json:"baseline_sha256"`
	Verdict  string   `json:"verdict"` // pass or fail
	Why      []string `json:"why"`     // of a fail
	Sessions []Judged `json:"sessions"`
}

// Judged is one session of a verdict.
type Judged struct {
	Played
	Worse []string `json:"worse"` // in what it is worse than its baseline
}

// The verdicts.
const (
	Pass = "pass"
	Fail = "fail"
)

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The files of a candidate in the staged folder.
func sourceFile(name string) string   { return path.Join(bridge.StagedFolder, name+".k") }
func sidecar(name string) string      { return path.Join(bridge.StagedFolder, name+".json") }
func baselineFile(name string) string { return path.Join(bridge.StagedFolder, name+".baseline.json") }
func verdictFile(name string) string  { return path.Join(bridge.StagedFolder, name+".verdict.json") }
func heirFile(name string) string     { return path.Join(bridge.StagedFolder, name+".heir.txt") }
func sessionFolder(name string) string {
	return path.Join(bridge.StagedFolder, name+".sessions")
}

// stage returns the world as sessions find it: without what is staged.
func (g *Gate) stage() (stage, error) {
	files, err := g.world.Definitions()
	if err != nil {
		return stage{}, err
	}
	for _, f := range files {
		if f.Err != nil {
			return stage{}, fmt.Errorf("world '%s': cannot read %s: %w", g.world.Dir(), f.Name, f.Err)
		}
	}
	return stage{g.program, g.scope, files}, nil
}

// ground is the digest of what a candidate is judged against.
func (s stage) ground() (string, error) {
	words, _, err := s.grants()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	b.WriteString(bridge.RenderManifest(words))
	for _, f := range s.files {
		fmt.Fprintf(&b, "\n%s %s", f.Name, digest([]byte(f.Text)))
	}
	return digest(b.Bytes()), nil
}

// Stage freezes a definition as a candidate. What was staged under the name
// before is gone, with all that was said about it.
func (g *Gate) Stage(name string, source []byte) (*Candidate, error) {
	declared, err := bridge.WorldFile{Name: name + ".k", Text: string(source)}.Declares()
	switch {
	case err != nil:
		return nil, fmt.Errorf("'%s' cannot be staged: %w", name, err)
	case len(declared) != 1 || declared[0].Verb != name:
		return nil, fmt.Errorf("'%s' cannot be staged: the source is not the definition of '%s' alone", name, name)
	}
	if kept, err := g.world.ReadFile(name+".k", maxFile); err == nil && bytes.Equal(kept, source) {
		return nil, fmt.Errorf("'%s' is in the world already, with the same bytes", name)
	}
	s, err := g.stage()
	if err != nil {
		return nil, err
	}
	if err := s.accepts(name, string(source)); err != nil {
		return nil, err
	}
	ground, err := s.ground()
	if err != nil {
		return nil, err
	}
	c := g.record(name, source, ground)
	if err := g.forget(name); err != nil {
		return nil, err
	}
	if err := g.world.WriteFile(sourceFile(name), source); err != nil {
		return nil, err
	}
	return c, g.write(sidecar(name), c)
}

// record is what staging a candidate writes down.
func (g *Gate) record(name string, source []byte, ground string) *Candidate {
	return &Candidate{
		Kind: "koru/candidate", Version: 1, Name: name, Scope: g.scope,
		Bound: Bound{Candidate: digest(source), Ground: ground},
	}
}

// accepts says whether a session would install the definition (bridge.md 8.3).
func (s stage) accepts(name, text string) error {
	words, notes, err := s.with(name, text).grants()
	if err != nil {
		return err
	}
	v := words.Verb(name)
	file := "'" + name + ".k' not installed: "
	if at := strings.Index(notes, file); at >= 0 {
		reason, _, _ := strings.Cut(notes[at+len(file):], "\n")
		return fmt.Errorf("'%s' cannot be staged: %s", name, reason)
	}
	if v == nil || v.Definition == "" {
		return fmt.Errorf("'%s' cannot be staged: no session of scope '%s' would install it", name, s.scope)
	}
	return nil
}

// forget removes what was found out about an older candidate of the name.
func (g *Gate) forget(name string) error {
	sessions, err := g.world.Names(sessionFolder(name))
	if err != nil {
		return err
	}
	gone := []string{verdictFile(name), baselineFile(name), heirFile(name)}
	for _, s := range sessions {
		gone = append(gone, path.Join(sessionFolder(name), s))
	}
	for _, file := range gone {
		if err := g.world.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// Baseline plays the sessions without the candidate, keeps a copy of each and
// what it came to. Each is played twice: one that does not come to the same, or
// that calls what nothing is recorded for, is refused.
func (g *Gate) Baseline(ctx context.Context, name string, sessions []*Canned) (*Baseline, error) {
	c, _, s, err := g.candidate(name)
	if err != nil {
		return nil, err
	}
	if len(sessions) == 0 {
		return nil, errors.New("a baseline needs sessions to play")
	}
	b := newBaseline(name, c.Bound)
	seen := map[string]bool{}
	for _, session := range sessions {
		if !plainName(session.Name) {
			return nil, fmt.Errorf("no session can be called '%s'", session.Name)
		}
		if seen[session.Name] {
			return nil, fmt.Errorf("two sessions are called '%s'", session.Name)
		}
		seen[session.Name] = true
		p, err := s.twice(ctx, session, name)
		if err != nil {
			return nil, err
		}
		if len(p.missing) > 0 {
			return nil, fmt.Errorf("session '%s': no outcome is recorded for %s: record the session first", session.Name, p.missing[0])
		}
		b.Sessions = append(b.Sessions, Played{session.Name, digest(session.Bytes()), p.Ledger})
	}
	slices.SortFunc(b.Sessions, func(a, b Played) int { return strings.Compare(a.Session, b.Session) })
	if err := g.forget(name); err != nil {
		return nil, err
	}
	for _, session := range sessions {
		if err := g.world.WriteFile(path.Join(sessionFolder(name), session.Name), session.Bytes()); err != nil {
			return nil, err
		}
	}
	if _, b.Bound.Sessions, err = g.sessions(name); err != nil {
		return nil, err
	}
	return b, g.write(baselineFile(name), b)
}

func newBaseline(name string, bound Bound) *Baseline {
	return &Baseline{Kind: "koru/baseline", Version: 1, Name: name, Bound: bound, Sessions: []Played{}}
}

func (s stage) twice(ctx context.Context, session *Canned, name string) (*performance, error) {
	first, err := s.replay(ctx, session, name)
	if err != nil {
		return nil, err
	}
	second, err := s.replay(ctx, session, name)
	if err != nil {
		return nil, err
	}
	if first.transcript != second.transcript {
		return nil, fmt.Errorf("session '%s' is not deterministic: two replays of it differ", session.Name)
	}
	return first, nil
}

// candidate reads what is staged under a name, and refuses it if it is not
// what was staged, or not where it was.
func (g *Gate) candidate(name string) (*Candidate, []byte, stage, error) {
	if !plainName(name) {
		return nil, nil, stage{}, fmt.Errorf("'%s' is no name of a verb", name)
	}
	var c Candidate
	written, err := g.read(sidecar(name), &c)
	if err != nil {
		return nil, nil, stage{}, g.absent(err, "'%s' is not staged", name)
	}
	source, err := g.world.ReadFile(sourceFile(name), maxFile)
	if err != nil {
		return nil, nil, stage{}, g.absent(err, "'%s' is not staged any more", name)
	}
	if digest(source) != c.Candidate {
		return nil, nil, stage{}, void(name, "the staged bytes are not the ones that were staged")
	}
	s, err := g.stage()
	if err != nil {
		return nil, nil, stage{}, err
	}
	ground, err := s.ground()
	if err != nil {
		return nil, nil, stage{}, err
	}
	if ground != c.Ground || g.scope != c.Scope {
		return nil, nil, stage{}, void(name, "the scope or the definitions of the world have changed since")
	}
	if !bytes.Equal(written, encode(g.record(name, source, ground))) {
		return nil, nil, stage{}, void(name, sidecar(name)+" is not what staging it has written")
	}
	return &c, source, s, nil
}

// plainName reports whether a name can be that of a file and leads nowhere.
func plainName(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsAny(name, "/\\\x00")
}

// void refuses a candidate whose ground has shifted.
func void(name, why string) error {
	return fmt.Errorf("what was found out about '%s' is void: %s; stage it again", name, why)
}

// absent words an error of reading an artefact: one that does not exist says
// which step comes first.
func (g *Gate) absent(err error, format string, args ...any) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf(format, args...)
	}
	return err
}

// sessions reads the sessions that a baseline has kept, and their digest.
func (g *Gate) sessions(name string) ([]*Canned, string, error) {
	names, err := g.world.Names(sessionFolder(name))
	if err != nil {
		return nil, "", err
	}
	var list []*Canned
	var sums strings.Builder
	for _, file := range names {
		data, err := g.world.ReadFile(path.Join(sessionFolder(name), file), maxFile)
		if err != nil {
			return nil, "", fmt.Errorf("session '%s': %w", file, err)
		}
		c, err := ParseCanned(file, data)
		if err != nil {
			return nil, "", err
		}
		list = append(list, c)
		fmt.Fprintf(&sums, "%s %s\n", file, digest(data))
	}
	return list, digest([]byte(sums.String())), nil
}

// Judge plays the sessions of the baseline with the candidate installed and
// writes the verdict.
func (g *Gate) Judge(ctx context.Context, name string) (*Verdict, error) {
	v, err := g.judge(ctx, name)
	if err != nil {
		return nil, err
	}
	return v, g.write(verdictFile(name), v)
}

func (g *Gate) judge(ctx context.Context, name string) (*Verdict, error) {
	c, source, s, err := g.candidate(name)
	if err != nil {
		return nil, err
	}
	var base Baseline
	written, err := g.read(baselineFile(name), &base)
	if err != nil {
		return nil, g.absent(err, "'%s' has no baseline to be judged by", name)
	}
	sessions, sum, err := g.sessions(name)
	if err != nil {
		return nil, err
	}
	bound := c.Bound
	bound.Sessions = sum
	if base.Bound != bound || len(base.Sessions) != len(sessions) {
		return nil, void(name, "the sessions are not the ones of its baseline")
	}
	v := &Verdict{Kind: "koru/verdict", Version: 1, Name: name, Bound: bound, Verdict: Pass, Why: []string{}}
	again := newBaseline(name, bound)
	with, uses := s.with(name, string(source)), 0
	for i, session := range sessions {
		before, err := s.replay(ctx, session, name)
		if err != nil {
			return nil, err
		}
		if now := (Played{session.Name, digest(session.Bytes()), before.Ledger}); !bytes.Equal(encode(now), encode(base.Sessions[i])) {
			return nil, void(name, "the baseline is not what session '"+session.Name+"' comes to")
		} else {
			again.Sessions = append(again.Sessions, now)
		}
		after, err := with.twice(ctx, session, name)
		if err != nil {
			return nil, err
		}
		uses += after.Uses
		j := Judged{Played{session.Name, base.Sessions[i].SHA256, after.Ledger}, worse(&before.Ledger, after)}
		for _, w := range j.Worse {
			v.Verdict, v.Why = Fail, append(v.Why, session.Name+": "+w)
		}
		v.Sessions = append(v.Sessions, j)
	}
	if !bytes.Equal(written, encode(again)) {
		return nil, void(name, baselineFile(name)+" is not what the baseline has written")
	}
	if uses == 0 {
		v.Verdict, v.Why = Fail, append(v.Why, "no session used it")
	}
	v.Baseline = digest(written)
	return v, nil
}

// worse says in what a session is worse off with the candidate: more refusals
// of a class, another end, something still held.
func worse(before *Ledger, after *performance) []string {
	list := []string{}
	for _, class := range []string{"parse-error", "event-denied", "validation-error", "shape-error", "dispatch-error", "exhausted"} {
		if b, a := before.Refusals[class], after.Refusals[class]; a > b {
			list = append(list, fmt.Sprintf("%d × %s, %d without it", a, class, b))
		}
	}
	if len(after.missing) > 0 {
		list = append(list, "no outcome is recorded for "+after.missing[0])
	}
	b, a := tierRank[before.Tier], tierRank[after.Tier]
	switch {
	case a < b:
		list = append(list, fmt.Sprintf("it ends in %s, without it in %s", after.Tier, before.Tier))
	case a == b && (after.Tier != before.Tier || after.Outcome != before.Outcome):
		list = append(list, fmt.Sprintf("it ends in %s %s, without it in %s %s", after.Tier, after.Outcome, before.Tier, before.Outcome))
	}
	switch {
	case after.Stranded != "":
		list = append(list, after.Stranded)
	case len(after.Held) > 0:
		list = append(list, "it still holds "+strings.Join(after.Held, ", ")+" when it is closed")
	}
	return list
}

// tierRank orders the ways in which a reply can end: what ended well without
// the candidate must end the same, what did not may end better.
var tierRank = map[string]int{"result": 2, "defined": 2, "unhandled-branch": 1, "partial": 1, "residue": 1, "error": 0}

// Promote moves a candidate into the world. It judges it again: what it acts on
// is not the file that says pass but that it does pass.
func (g *Gate) Promote(ctx context.Context, name string) error {
	if !plainName(name) {
		return fmt.Errorf("'%s' is no name of a verb", name)
	}
	written, err := g.world.ReadFile(verdictFile(name), maxFile)
	if err != nil {
		return g.absent(err, "'%s' has no verdict: judge it first", name)
	}
	v, err := g.judge(ctx, name)
	if err != nil {
		return err
	}
	if !bytes.Equal(written, encode(v)) {
		return void(name, "the verdict is not what judging it comes to")
	}
	if v.Verdict != Pass {
		return fmt.Errorf("'%s' did not pass: %s", name, strings.Join(v.Why, "; "))
	}
	source, err := g.world.ReadFile(sourceFile(name), maxFile)
	if err != nil {
		return err
	}
	if digest(source) != v.Candidate {
		return void(name, "the staged bytes are not the ones that were judged")
	}
	if err := g.world.WriteFile(name+".k", source); err != nil {
		return err
	}
	return g.world.Remove(sourceFile(name))
}

// Heir opens a fresh session on the world and shows that it has the verb and
// nothing else: it lists it, holds nothing, and runs the first kept session
// that uses it, from its recording. The transcript is kept, and returned even
// if the error says what is wrong.
func (g *Gate) Heir(ctx context.Context, name string) (transcript string, err error) {
	if !plainName(name) {
		return "", fmt.Errorf("'%s' is no name of a verb", name)
	}
	var v Verdict
	if _, err := g.read(verdictFile(name), &v); err != nil {
		return "", g.absent(err, "'%s' has no verdict: it was never promoted here", name)
	}
	kept, err := g.world.ReadFile(name+".k", maxFile)
	if err != nil || digest(kept) != v.Candidate {
		return "", fmt.Errorf("'%s' is not in the world with the bytes that were judged: promote it first", name)
	}
	session, err := g.using(name, &v)
	if err != nil {
		return "", err
	}
	p := newPlayer(session)
	var log strings.Builder
	o := answered(p)
	o.ID, o.Program, o.Scope, o.World, o.Log = "heir", g.program, g.scope, g.world.Dir(), &log
	b, err := bridge.Create(o)
	if err != nil {
		return "", err
	}
	inherited, listed := b.Held(), b.Words().Verb(name) != nil
	out := perform(ctx, b, session, name, b.Close)
	transcript = fmt.Sprintf("heir of '%s', session %s, inherited handles: %d\n%s", name, session.Name, len(inherited), out.transcript)
	if err := g.world.WriteFile(heirFile(name), []byte(transcript)); err != nil {
		return transcript, err
	}
	switch {
	case !listed:
		return transcript, fmt.Errorf("the heir does not have '%s': %s", name, log.String())
	case len(inherited) > 0:
		return transcript, fmt.Errorf("the heir holds %d handles before its first reply", len(inherited))
	case out.Uses == 0:
		return transcript, fmt.Errorf("the heir has '%s', but no call of it succeeded", name)
	}
	return transcript, nil
}

// using returns the first session that the verb was used in and that defines
// nothing itself: an heir changes no vocabulary.
func (g *Gate) using(name string, v *Verdict) (*Canned, error) {
	sessions, sum, err := g.sessions(name)
	if err != nil {
		return nil, err
	}
	if sum != v.Bound.Sessions {
		return nil, void(name, "the sessions are not the ones that it was judged by")
	}
	for _, c := range sessions {
		for _, j := range v.Sessions {
			if j.Session == c.Name && j.Ledger.Uses > 0 && j.Ledger.Turns[bridge.TierDefined.String()] == 0 && !defines(c) {
				return c, nil
			}
		}
	}
	return nil, fmt.Errorf("no session uses '%s' without defining a verb itself, so the heir has nothing to run", name)
}

func defines(c *Canned) bool {
	for _, reply := range c.Replies {
		for line := range strings.Lines(reply) {
			if strings.HasPrefix(strings.TrimSpace(line), "tor ") {
				return true
			}
		}
	}
	return false
}

// encode spells an artefact: indented JSON, so that version control shows what
// changed.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // of structs of text and numbers
	return b.Bytes()
}

func (g *Gate) write(name string, v any) error { return g.world.WriteFile(name, encode(v)) }

// read reads an artefact, and returns its bytes as well.
func (g *Gate) read(name string, v any) ([]byte, error) {
	data, err := g.world.ReadFile(name, maxFile)
	if err != nil {
		return nil, fmt.Errorf("world '%s': %s: %w", g.world.Dir(), name, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return nil, fmt.Errorf("world '%s': %s is not what the gate has written: %w", g.world.Dir(), name, err)
	}
	return data, nil
}
