package bridge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxDefinition bounds a world file. A reply is at most 1 MiB (R79), so no
// definition is longer.
const maxDefinition = 1 << 20

// World is a mounted world directory: the definitions of its sessions, one
// file each, and the ledger of what they held (bridge.md 8.7). Every access
// goes through an [os.Root], so that no name and no link leads out of it.
type World struct {
	dir    string
	root   *os.Root
	ledger *ledger
	state  *LedgerState
	// notices says what the mount found and did, one line each.
	notices []string
}

// WorldFile is one file of definitions.
type WorldFile struct {
	Name string // relative to the world: sweep.k, lib/text.k
	Text string
	Err  error // why the file cannot be read
}

// Mount opens the world at dir and its ledger; both are made if they do not
// exist (R50). With sync every line of the ledger is on the disk before the
// session goes on; without, it survives the death of the process but not that
// of the machine.
func Mount(dir string, sync bool) (*World, error) {
	w, err := mount(dir, sync)
	if err != nil {
		return nil, fmt.Errorf("world '%s': %w", dir, err)
	}
	return w, nil
}

func mount(dir string, sync bool) (*World, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot be made: %w", reason(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, reason(err)
	}
	w := &World{dir: dir, root: root}
	if w.ledger, w.state, err = openLedger(root, sync); err != nil {
		root.Close()
		return nil, err
	}
	if t := w.state.Torn; t != nil {
		w.notice("%s", tornNotice(t))
	}
	if err := w.sweepUp(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *World) notice(format string, args ...any) {
	w.notices = append(w.notices, fmt.Sprintf(format, args...))
}

// Dir returns the directory as it was given.
func (w *World) Dir() string { return w.dir }

// Ledger returns what the ledger said when the world was mounted.
func (w *World) Ledger() *LedgerState { return w.state }

// Notices returns what the mount has to say to the one who runs it.
func (w *World) Notices() []string { return w.notices }

// Close lets go of the directory. Nothing is lost without it.
func (w *World) Close() error {
	if w.ledger == nil {
		return w.root.Close()
	}
	return errors.Join(w.ledger.close(), w.root.Close())
}

// Definitions reads every *.k file that lies directly in the world and then
// those in its lib folder, each in the order of their names. A file that cannot
// be read is listed with the reason. What is half written is not listed.
func (w *World) Definitions() ([]WorldFile, error) {
	files, err := w.definitionsIn(".")
	if err != nil {
		return nil, fmt.Errorf("world '%s': %w", w.dir, reason(err))
	}
	lib, err := w.definitionsIn("lib")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		lib = []WorldFile{{Name: "lib", Err: reason(err)}}
	}
	return append(files, lib...), nil
}

func (w *World) definitionsIn(folder string) ([]WorldFile, error) {
	entries, err := fs.ReadDir(w.root.FS(), folder)
	if err != nil {
		return nil, err
	}
	var files []WorldFile
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || path.Ext(e.Name()) != ".k" {
			continue
		}
		f := WorldFile{Name: path.Join(folder, e.Name())}
		f.Text, f.Err = w.read(f.Name)
		files = append(files, f)
	}
	return files, nil
}

// read returns the text of a file of definitions.
func (w *World) read(name string) (string, error) {
	text, err := w.ReadFile(name, maxDefinition)
	return string(text), err
}

// Define writes the definition of a verb: the text as the reply spelled it and
// one line feed (R35), in a file named after the verb. An older definition is
// replaced whole or not at all, whenever the process dies.
func (w *World) Define(verb, text string) error {
	name, err := definitionFile(verb)
	if err != nil {
		return fmt.Errorf("world '%s': %w", w.dir, err)
	}
	if len(text) >= maxDefinition {
		return fmt.Errorf("world '%s': the definition of '%s' has %d bytes; a world keeps at most %d", w.dir, verb, len(text), maxDefinition-1)
	}
	return w.WriteFile(name, []byte(text+"\n"))
}

// definitionFile returns the file name of a verb's definition.
func definitionFile(verb string) (string, error) {
	const longest = 200 // a file name has at most 255 bytes on the systems we know
	if len(verb) > longest {
		return "", fmt.Errorf("the verb '%.20s…' has %d letters; a file can be named after at most %d", verb, len(verb), longest)
	}
	for i := range len(verb) {
		switch c := verb[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		case i > 0 && ('0' <= c && c <= '9' || c == '-' || c == '.'):
		default:
			return "", fmt.Errorf("no file can be named after the verb '%s'", verb)
		}
	}
	name := verb + ".k"
	if verb == "" || !filepath.IsLocal(name) { // IsLocal knows the reserved names of the system: con, nul
		return "", fmt.Errorf("no file can be named after the verb '%s'", verb)
	}
	return name, nil
}

// WriteFile replaces a file of the world whole: the bytes go to a file beside
// it, reach the disk, and take its name. Folders on the way are made. The name
// is relative to the world, with slashes.
func (w *World) WriteFile(name string, data []byte) error {
	if err := w.replace(name, data); err != nil {
		return fmt.Errorf("world '%s': cannot write %s: %w", w.dir, name, reason(err))
	}
	return nil
}

func (w *World) replace(name string, data []byte) error {
	folder, base := path.Split(path.Clean(name))
	folder = path.Clean(folder)
	if err := lock(w.ledger.file, true); err != nil {
		return err
	}
	defer unlock(w.ledger.file)
	if err := w.root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	draft := path.Join(folder, draftPrefix+base+draftSuffix)
	if err := disk.remove(w.root, draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeNew(w.root, draft, data); err != nil {
		disk.remove(w.root, draft)
		return err
	}
	if err := disk.rename(w.root, draft, path.Join(folder, base)); err != nil {
		disk.remove(w.root, draft)
		return err
	}
	return syncFolder(w.root, folder)
}

// StagedFolder holds what may be promoted into the world, and the evidence
// (bridge.md 11.7).
const StagedFolder = "staged"

// A draft is a file that is being written: .sweep.k.draft.
const (
	draftPrefix = "."
	draftSuffix = ".draft"
)

// draftFolders are the folders of a world in which files are written.
var draftFolders = []string{".", StagedFolder}

func isDraft(e fs.DirEntry) bool {
	return strings.HasPrefix(e.Name(), draftPrefix) && strings.HasSuffix(e.Name(), draftSuffix) && e.Type().IsRegular()
}

// sweepUp removes the drafts that a killed process left. Writers hold the
// world's lock, so none of them belongs to anybody alive; and none was ever
// reported as written.
func (w *World) sweepUp() error {
	if err := lock(w.ledger.file, true); err != nil {
		return reason(err)
	}
	defer unlock(w.ledger.file)
	for _, folder := range draftFolders {
		entries, err := fs.ReadDir(w.root.FS(), folder)
		if err != nil && folder == "." {
			return reason(err)
		}
		for _, e := range entries {
			if !isDraft(e) {
				continue
			}
			name := path.Join(folder, e.Name())
			if err := disk.remove(w.root, name); err != nil {
				return fmt.Errorf("cannot remove %s: %w", name, reason(err))
			}
			w.notice("%s: an interrupted write left this draft; it was never installed and is removed", name)
		}
	}
	return nil
}

// writeNew writes a file that does not exist yet and waits for the disk.
func writeNew(root *os.Root, name string, data []byte) error {
	file, err := disk.create(root, name)
	if err != nil {
		return err
	}
	_, err = disk.write(file, data)
	return errors.Join(err, disk.sync(file), file.Close())
}

// syncFolder waits until the names in a folder are on the disk. Systems that
// cannot do that for a folder do it by themselves.
func syncFolder(root *os.Root, folder string) error {
	d, err := root.Open(folder)
	if err != nil {
		return err
	}
	_ = disk.sync(d)
	return d.Close()
}

// regularOrNone refuses what is there under a name and is no plain file: to
// open a pipe or a device could block or worse.
func regularOrNone(root *os.Root, name string) error {
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot open %s: %w", name, reason(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a plain file", name)
	}
	return nil
}

// reason strips the call and the path that the os package puts around an
// error; the messages here name the file themselves.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
