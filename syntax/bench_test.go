package syntax

import (
	goparser "go/parser"
	gotoken "go/token"
	"strings"
	"testing"

	starlark "go.starlark.net/syntax"
)

// program is one construct of each common kind; benchmarks repeat it.
const program = `// Parcels in and out of a locker wall: who holds a ticket may open the door.

import std/io

[
- doc
Find the shelf of a parcel by its code.
]
pub tor find-parcel { code: string, depth: i64 = 3, note: ?string = null }
| found { shelf: string, row: i64 }
| moved string
| unknown
proc find-parcel|js {
    if (code === "P1") return { found: { shelf: "A", row: 4 } };
    return { unknown: null };
}

tor report { code: string, limit: i64 }
report = find-parcel(code, depth: limit * 2 + 1)
| found f when f.row > limit and f.shelf != "Z" |> std/io:print.ln("{{ code:s }} is on {{ f.shelf:s }}, row {{ f.row:d }}")
    |> std/io:print.ln("done")
| found f |> std/io:print.ln("near: {{ f.shelf:s }}")
| moved to |> report(code: to, limit)
| unknown |> std/io:print.ln("no such parcel")

for(0..10)
! each i |> report(code: "P1", limit: i): answer |> std/io:print.ln("{{ i:d }} {{ answer:s }}")
| done |> std/io:print.ln("all done")

`

const goProgram = `// Package parcels keeps parcels behind locker doors.
package parcels

import "fmt"

// Found says where a parcel is.
type Found struct {
	Shelf string
	Row   int64
}

// FindParcel finds the shelf of a parcel by its code.
func FindParcel(code string, depth int64, note *string) (*Found, error) {
	if code == "P1" {
		return &Found{Shelf: "A", Row: 4}, nil
	}
	return nil, fmt.Errorf("no such parcel")
}

// Report prints where a parcel is.
func Report(code string, limit int64) {
	f, err := FindParcel(code, limit*2+1, nil)
	switch {
	case err != nil:
		fmt.Println("no such parcel")
	case f.Row > limit && f.Shelf != "Z":
		fmt.Printf("%s is on %s, row %d\n", code, f.Shelf, f.Row)
	default:
		fmt.Println("near: " + f.Shelf)
	}
}

`

const starProgram = `# Parcels in and out of a locker wall: who holds a ticket may open the door.

def find_parcel(code, depth = 3, note = None):
    """Find the shelf of a parcel by its code."""
    if code == "P1":
        return struct(shelf = "A", row = 4)
    return None

def report(code, limit):
    f = find_parcel(code, depth = limit * 2 + 1)
    if f == None:
        print("no such parcel")
    elif f.row > limit and f.shelf != "Z":
        print("%s is on %s, row %d" % (code, f.shelf, f.row))
        print("done")
    else:
        print("near: " + f.shelf)

for i in range(10):
    report(code = "P1", limit = i)

`

const benchSize = 256 << 10

func repeated(s string) string { return strings.Repeat(s, benchSize/len(s)+1) }

// BenchmarkParse measures lossless parsing against the parsers of Go and of
// Starlark on text of like size. Compare MB/s within one run.
func BenchmarkParse(b *testing.B) {
	b.Run("koru", func(b *testing.B) {
		text := repeated(program)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if f := Parse("a.k", Pure, text); len(f.Faults()) != 0 {
				b.Fatal(f.Faults()[0])
			}
		}
	})
	b.Run("go", func(b *testing.B) {
		text := strings.ReplaceAll(repeated(goProgram), "package parcels\n\nimport \"fmt\"\n", "")
		text = "package parcels\n\nimport \"fmt\"\n" + text
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := goparser.ParseFile(gotoken.NewFileSet(), "a.go", text, goparser.ParseComments|goparser.SkipObjectResolution); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("starlark", func(b *testing.B) {
		text := repeated(starProgram)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := starlark.Parse("a.star", text, starlark.RetainComments); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEdit measures one keystroke in a file of 10,000 lines.
func BenchmarkEdit(b *testing.B) {
	text := strings.Repeat(program, 10_000/strings.Count(program, "\n")+1)
	at := strings.Index(text[len(text)/2:], "report(code") + len(text)/2
	f := Parse("a.k", Pure, text)
	b.ReportAllocs()
	for b.Loop() {
		f.Edit(Edit{at, at, "x"})
	}
}
