package latency

import (
	"fmt"
	"strings"
)

// depot writes a program of about the given number of lines: verbs with and
// without outcomes, subflows, guards, splices and handles, as people write them.
// A line that is marked is one to type at.
func depot(lines int) string {
	var b strings.Builder
	b.WriteString("// depot: parcels in and out.\nimport std/io\n\n")
	blocks := lines / 29
	for i := range blocks {
		fmt.Fprintf(&b, `[
- doc
Find a parcel by its code.
]
pub tor find-%[1]d { code: string, limit: i64 = 3 }
| found { code: string, shelf: i64 }
| none
proc find-%[1]d|js { return "none"; }

tor lease-%[1]d { id: i64 } -> string<held-%[1]d!>
proc lease-%[1]d|js { return "h"; }
tor give-%[1]d { ticket: string<!held-%[1]d> }
proc give-%[1]d|js {}

tor visit-%[1]d { code: string }
| done string
| gone
visit-%[1]d = find-%[1]d(code)
| found p when p.shelf > 3 |> std/io:print.ln("{{ p.code:s }} lies on {{ p.shelf:d }}") => done p.code
| found p => done p.code
| none => gone

`, i)
		mark := ""
		if i == blocks*9/10 {
			mark = " // here"
		}
		fmt.Fprintf(&b, `lease-%[1]d(id: %[1]d): t
|> visit-%[1]d(code: t)
| done d |> std/io:print.ln("done {{ d:s }}")
| gone |> find-%[1]d(code: t)%[2]s
    | found _ |> _
    | none |> _

`, i, mark)
	}
	return b.String()
}

// goDepot is the same in Go.
func goDepot(lines int) string {
	var b strings.Builder
	b.WriteString("package depot\n\nimport \"fmt\"\n\n")
	blocks := lines / 24
	for i := range blocks {
		mark := ""
		if i == blocks*9/10 {
			mark = " // here"
		}
		fmt.Fprintf(&b, `// Parcel%[1]d is a parcel with its code.
type Parcel%[1]d struct {
	Code  string
	Shelf int
}

// Find%[1]d finds a parcel by its code.
func Find%[1]d(code string, limit int) (*Parcel%[1]d, bool) {
	if limit == 0 {
		return nil, false
	}
	return &Parcel%[1]d{Code: code}, true
}

// Visit%[1]d finds a parcel and prints it.
func Visit%[1]d(code string) string {
	if p, ok := Find%[1]d(code, 3); ok && p.Shelf > 3 {
		fmt.Printf("%%s lies on %%d\n", p.Code, p.Shelf)
		return p.Code%[2]s
	}
	return ""
}

`, i, mark)
	}
	return b.String()
}

// cueDepot is a file of definitions and values.
func cueDepot(lines int) string {
	var b strings.Builder
	b.WriteString("package depot\n\n")
	blocks := lines / 13
	for i := range blocks {
		mark := ""
		if i == blocks*9/10 {
			mark = " // here"
		}
		fmt.Fprintf(&b, `// #Parcel%[1]d is a parcel with its code.
#Parcel%[1]d: {
	code:  string
	shelf: int & >0
	tags: [...string]
}

parcel%[1]d: #Parcel%[1]d & {
	code:  "p%[1]d"
	shelf: %[1]d + 1
	tags: [code, parcel%[1]d.code]%[2]s
}

`, i, mark)
	}
	return b.String()
}

// protoDepot is a file of messages and services.
func protoDepot(lines int) string {
	var b strings.Builder
	b.WriteString("syntax = \"proto3\";\n\npackage depot.v1;\n\n")
	blocks := lines / 16
	for i := range blocks {
		mark := ""
		if i == blocks*9/10 {
			mark = " // here"
		}
		fmt.Fprintf(&b, `// Parcel%[1]d is a parcel with its code.
message Parcel%[1]d {
  string code = 1;
  int64 shelf = 2;
}

message Find%[1]dRequest {
  Parcel%[1]d parcel = 1;%[2]s
}

message Find%[1]dResponse {}

service Depot%[1]d {
  rpc Find%[1]d(Find%[1]dRequest) returns (Find%[1]dResponse);
}

`, i, mark)
	}
	return b.String()
}
