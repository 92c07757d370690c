package check

// Migrate respells programs of May 2026 as far as that is mechanical
// (language.md 0.2): it applies, over and over, the fixes of the faults that the
// old spelling is today, and no others. What they do not mend is in
// [Mending.Left]; nothing is guessed. Nothing is written.
func (c *Checker) Migrate(entries []string, may func(path string) bool) (*Mending, error) {
	return c.mend(entries, nil, may, func(d *Diagnostic, f *Fix) bool {
		switch d.Code {
		case "PARSE003", // event, quoted imports, []const u8, a lone outcome
			"KORU033", // *File[open!]
			"KORU034", // snake names of verbs and outcomes
			"KORU035", // std.io:print.ln
			"KORU103": // |> done v
			return f.Safe || f.respells
		case "KORU021": // | v x |> under a verb that now delivers its value bare
			return f.respells
		}
		return false
	})
}
