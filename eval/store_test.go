package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/koru-go/koru/check"
)

var (
	i64    = &check.Type{Kind: check.IntType, Name: "i64", Bits: 64, Signed: true}
	text   = &check.Type{Kind: check.TextType, Name: "string"}
	char4  = &check.Type{Kind: check.TextType, Name: "char[4]", Bits: 4}
	object = &check.Type{Kind: check.HostType, Name: "String", Pointer: true}
)

// orders is the table of language.md 9.6: two columns, the second with a literal.
func orders(capacity int) *Store {
	return NewTable("orders", capacity,
		Column{Name: "id", Type: i64},
		Column{Name: "qty", Type: i64, Initial: IntValue(1)})
}

func insert(t *testing.T, s *Store, cells ...Value) *Row {
	t.Helper()
	change, _, ok, err := s.Insert(cells)
	if err != nil || !ok {
		t.Fatalf("Insert(%v): ok %v, error %v", cells, ok, err)
	}
	return change.Row
}

// ids lists the first column in the order of the rows.
func ids(rows []*Row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%v ", r.Cell(0).Big())
	}
	return strings.TrimSpace(b.String())
}

func TestTakeMovesTheLastRowIntoTheGap(t *testing.T) {
	for _, test := range []struct {
		take int64
		want string
	}{
		{0, "3 1 2"},
		{1, "0 3 2"},
		{2, "0 1 3"},
		{3, "0 1 2"},
	} {
		s := orders(Unbounded)
		for i := range int64(4) {
			insert(t, s, IntValue(i), IntValue(1))
		}
		change, ok, err := s.Take(IntValue(test.take))
		if err != nil || !ok || change.Kind != Removed {
			t.Fatalf("Take(%d) = %+v, %v, %v", test.take, change, ok, err)
		}
		if got := ids(s.Rows()); got != test.want {
			t.Errorf("after Take(%d) the rows are %s, want %s", test.take, got, test.want)
		}
		for i, r := range s.Rows() {
			if r.Index() != i {
				t.Errorf("after Take(%d) the row at %d says it is at %d", test.take, i, r.Index())
			}
		}
		if change.Row.Live() || !change.Row.Cell(0).Equal(IntValue(test.take)) {
			t.Errorf("the row taken from %d is live or holds another id: %v", test.take, change.Row.Cell(0).Big())
		}
	}
}

func TestTakeOfAnEmptyTableIsEmpty(t *testing.T) {
	change, ok, err := orders(4).Take(IntValue(0))
	if ok || err != nil || change.Kind != Unchanged {
		t.Errorf("Take = %+v, %v, %v; want the outcome empty", change, ok, err)
	}
}

func TestFullHandsTheCellsBack(t *testing.T) {
	s := orders(1)
	insert(t, s, IntValue(7), IntValue(1))
	change, full, ok, err := s.Insert([]Value{IntValue(8), IntValue(2)})
	if ok || err != nil || change.Kind != Unchanged {
		t.Fatalf("Insert into a full table: %+v, %v, %v", change, ok, err)
	}
	if qty, _ := full.Field("qty"); !qty.Equal(IntValue(2)) {
		t.Errorf("full carries qty %v, want 2", qty.Big())
	}
	if s.Len() != 1 {
		t.Errorf("the table has %d rows, want 1", s.Len())
	}
}

func TestTheOnlyUnnamedColumnIsTheRow(t *testing.T) {
	s := NewTable("draft", 1, Column{Type: object, Owned: true})
	h := HandleValue("h:String:000001", "text")
	row := insert(t, s, h)
	if !row.Value().Equal(h) {
		t.Errorf("the row is %s, want the handle itself", row.Value().Kind())
	}
	_, full, ok, _ := s.Insert([]Value{HandleValue("h:String:000002", "more")})
	if ok || full.Str() != "h:String:000002" {
		t.Errorf("full = %q, want the second handle", full.Str())
	}
}

func TestWhatIsRefused(t *testing.T) {
	rows := NewTable("rows", 8, Column{Name: "id", Type: i64}, Column{Name: "label", Type: char4})
	insert(t, rows, IntValue(0), StringValue("full"))
	insert(t, rows, IntValue(1), StringValue(""))
	totals, err := NewSingleton("totals", Column{Name: "open", Type: i64, Initial: IntValue(0)})
	if err != nil {
		t.Fatal(err)
	}
	taken := insert(t, rows, IntValue(2), StringValue("x"))
	if _, _, err := rows.Take(IntValue(2)); err != nil {
		t.Fatal(err)
	}
	first, _ := rows.At(IntValue(0))

	for _, test := range []struct {
		what string
		do   func() error
		want string
	}{
		{"an index past the end", func() error { _, err := rows.At(IntValue(2)); return err },
			"'rows[2]' is out of range — the store holds 2 rows, 0 to 1"},
		{"a negative index", func() error { _, _, err := rows.Take(IntValue(-1)); return err },
			"'rows[-1]' is out of range — the store holds 2 rows, 0 to 1"},
		{"an index of 2^64", func() error { _, err := rows.At(UintValue(1<<64 - 1)); return err },
			"'rows[18446744073709551615]' is out of range — the store holds 2 rows, 0 to 1"},
		{"an index that is text", func() error { _, err := rows.At(StringValue("0")); return err },
			"'rows[…]' wants an integer, got string"},
		{"an index into nothing", func() error { _, err := orders(1).At(IntValue(0)); return err },
			"'orders[0]' is out of range — the store is empty"},
		{"a text that is too long, inserted", func() error { _, _, _, err := rows.Insert([]Value{IntValue(3), StringValue("12345")}); return err },
			"'rows.label' holds 4 bytes of text, got 5"},
		{"a text that is too long, written", func() error { _, err := first.Write(Cell{1, StringValue("ééé")}); return err },
			"'rows.label' holds 4 bytes of text, got 6"},
		{"a value of another type", func() error { _, err := first.Write(Cell{0, StringValue("7")}); return err },
			`'rows.id' wants i64, got "7"`},
		{"a value too few", func() error { _, _, _, err := rows.Insert([]Value{IntValue(3)}); return err },
			"'rows' has 2 columns, got 1 values"},
		{"a write to a row that is gone", func() error { _, err := taken.Write(Cell{0, IntValue(9)}); return err },
			"a row of 'rows' that was taken out cannot be written"},
		{"a row for a singleton", func() error { _, _, _, err := totals.Insert([]Value{IntValue(1)}); return err },
			"'totals' is a singleton: it takes no rows — declare it with a capacity"},
		{"the row of a singleton", func() error { _, _, err := totals.Take(IntValue(0)); return err },
			"'totals' is a singleton: its row cannot be taken"},
		{"a singleton to clear", func() error { _, _, err := totals.Clear(); return err },
			"'totals' is a singleton: it has no rows to clear"},
		{"a table read as a singleton", func() error { _, err := rows.Single(); return err },
			"'rows' has rows: name one of them, as in rows[0]"},
	} {
		err := test.do()
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.what, err, test.want)
		}
	}
	if !first.Cell(1).Equal(StringValue("full")) || rows.Len() != 2 {
		t.Errorf("what was refused left a trace: label %q, %d rows", first.Cell(1).Str(), rows.Len())
	}
}

func TestAWriteIsAllOrNothing(t *testing.T) {
	s := NewTable("rows", 2, Column{Name: "id", Type: i64}, Column{Name: "label", Type: char4})
	row := insert(t, s, IntValue(1), StringValue("a"))
	if _, err := row.Write(Cell{0, IntValue(2)}, Cell{1, StringValue("too long")}); err == nil {
		t.Fatal("the write was not refused")
	}
	if !row.Cell(0).Equal(IntValue(1)) {
		t.Errorf("id is %v, want 1: the first cell was written", row.Cell(0).Big())
	}
}

func TestAChangeNamesTheCellsThatDiffer(t *testing.T) {
	s, err := NewSingleton("totals",
		Column{Name: "open", Type: i64},
		Column{Name: "name", Type: text},
		Column{Name: "done", Type: &check.Type{Kind: check.BoolType}})
	if err != nil {
		t.Fatal(err)
	}
	row, err := s.Single()
	if err != nil {
		t.Fatal(err)
	}
	change, err := row.Write(Cell{0, IntValue(0)}, Cell{1, StringValue("a")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1}, change.Columns); diff != "" {
		t.Errorf("columns that changed (-want +got):\n%s", diff)
	}
	oldName, _ := change.Old().Field("name")
	newName, _ := change.New().Field("name")
	if oldName.Str() != "" || newName.Str() != "a" {
		t.Errorf("name went from %q to %q, want from \"\" to \"a\"", oldName.Str(), newName.Str())
	}
	if change.Kind != Updated || change.Row != row {
		t.Errorf("change = %+v", change)
	}
}

func TestAWalkSeesTheRowsAsTheyStood(t *testing.T) {
	s := orders(Unbounded)
	for i := range int64(3) {
		insert(t, s, IntValue(i), IntValue(1))
	}
	var seen []string
	for _, row := range s.Rows() {
		if !row.Live() {
			seen = append(seen, "gone")
			continue
		}
		seen = append(seen, fmt.Sprint(row.Cell(0).Big()))
		if row.Cell(0).Equal(IntValue(0)) {
			// The body inserts a row and takes another: neither disturbs the walk.
			insert(t, s, IntValue(9), IntValue(1))
			if _, _, err := s.Take(IntValue(1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff([]string{"0", "gone", "2"}, seen); diff != "" {
		t.Errorf("rows seen (-want +got):\n%s", diff)
	}
	if got := ids(s.Rows()); got != "0 9 2" {
		t.Errorf("the rows are %s, want 0 9 2", got)
	}
}

func TestARuleIsNotCalledByItsOwnWrite(t *testing.T) {
	row := insert(t, orders(1), IntValue(0), IntValue(0))
	if !row.Begin(1) || row.Begin(1) {
		t.Error("a rule must begin once")
	}
	if !row.Begin(2) {
		t.Error("another rule may run for the same row")
	}
	row.End(1)
	if !row.Begin(1) || row.Begin(2) {
		t.Error("a rule that ended may begin again, one that runs may not")
	}
}

func TestDrainIsNewestFirst(t *testing.T) {
	s := orders(Unbounded)
	for i := range int64(3) {
		insert(t, s, IntValue(i), IntValue(1))
	}
	rows := s.Drain()
	if got := ids(rows); got != "2 1 0" {
		t.Errorf("drained %s, want 2 1 0", got)
	}
	if s.Len() != 0 || rows[0].Live() {
		t.Errorf("%d rows are left; the first drained is live: %v", s.Len(), rows[0].Live())
	}
}

func TestClearRemovesEveryRow(t *testing.T) {
	s := orders(2)
	insert(t, s, IntValue(0), IntValue(1))
	rows, change, err := s.Clear()
	if err != nil || change.Kind != Cleared || len(rows) != 1 || s.Len() != 0 {
		t.Errorf("Clear = %d rows, %+v, %v; %d left", len(rows), change, err, s.Len())
	}
	insert(t, s, IntValue(1), IntValue(1))
	insert(t, s, IntValue(2), IntValue(1))
}

func TestBlankHoldsLiteralsAndZeroes(t *testing.T) {
	s := NewTable("t", 1,
		Column{Name: "qty", Type: i64, Initial: IntValue(5)},
		Column{Name: "id", Type: i64},
		Column{Name: "note", Type: text},
		Column{Name: "maybe", Type: &check.Type{Kind: check.TextType, Optional: true}})
	got := string(describeCells(s.Blank()))
	if want := `5 0 "" null`; got != want {
		t.Errorf("Blank = %s, want %s", got, want)
	}
}

func describeCells(cells []Value) string {
	var words []string
	for _, v := range cells {
		switch v.Kind() {
		case String:
			words = append(words, fmt.Sprintf("%q", v.Str()))
		case Int:
			words = append(words, v.Big().String())
		default:
			words = append(words, v.Kind().String())
		}
	}
	return strings.Join(words, " ")
}

// A query and a write a row is what a frame of a program does.
func BenchmarkStoreFrame(b *testing.B) {
	s := orders(Unbounded)
	for i := range int64(1000) {
		if _, _, _, err := s.Insert([]Value{IntValue(i), IntValue(1)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, row := range s.Rows() {
			if _, err := row.Write(Cell{1, IntValue(2)}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
