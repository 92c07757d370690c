// Package zig evaluates a documented subset of Zig, so that verb bodies written
// for Koru's first host run here as they are printed (R2, R84).
//
//	tor model { n: u32 } -> string
//	proc model|zig {
//	    const turns = [_][]const u8{ "list(d: r1)", "close(d: r1)" };
//	    return turns[n - 1];
//	}
//
// # The subset
//
// Statements: const and var, with or without a type; assignment with
// = += -= *= /= %= to variables, elements and fields; return; if and else, also
// with a captured optional; while, also with a captured optional and with a
// continue expression; for over slices, arrays and ranges, also with an index;
// switch; break and continue; blocks; _ = value.
//
// Expressions: integers, floats, bools, characters, strings and \\ lines, null,
// undefined; array literals [_]T{…}, anonymous literals .{…} and .name; indexing
// and slicing; .len, fields, .? and .*; &x; + - * / % ++; comparison; and, or, !;
// orelse, try and catch with a value or a way out; if and switch as values;
// unreachable and @panic.
//
// Types: iN and uN up to 128 bits, usize, isize, f32, f64, bool, []T, [N]T, [_]T,
// ?T, *T. A pointer is used as what it points to. Arrays are copied when they
// are assigned, slices are not.
//
// Functions: std.mem.eql, startsWith, endsWith and indexOf; std.fmt.bufPrint and
// allocPrint with std.heap.page_allocator, and std.debug.print, which writes to
// the program's standard error, with {s}, {d} and {}; @as, @intCast, @mod, @min,
// @max. The one error there is comes from bufPrint, error.NoSpaceLeft.
//
// $mod.name is a literal or an array that the same file declares with const or
// var. A var has its first value in every call.
//
// # Inputs, effects, results
//
// The fields of the verb are constants of their names. Text is []const u8, a
// list a slice, a record has its fields, an absent value is null; a handle can
// be passed on. Integers have the width they are declared with.
//
// An effect of the verb is a function of its name in snake case: it takes the
// payload and returns what the caller's handler resumes with. The answer of
// named resume arms is taken apart by a switch:
//
//	switch (ask("go on?")) { .yes => |n| …, .no => … }
//
// A body of `-> T` returns a value, one with outcomes .{ .arm = value }, or .arm
// if the outcome has no payload (kebab arms in snake case), a void one nothing.
// A .name stands for the literal of a choice type.
//
// # Faults
//
// Anything beyond the subset is an error when the body is compiled: it names
// the construct, its place and the targets that do run, and nothing has run
// then. Integers are checked: overflow, division by zero, an index out of
// bounds and unreachable code end the call with an error at their place, as
// they end a safe build of Zig. So does a result that the verb does not declare
// (R47). All of these are *eval.BodyError.
//
// A call ends after 50 million steps, counted in work and not in time; the
// memory that a body makes counts too, eight bytes a step. Calls share nothing:
// literals, inputs and constants of the module cannot be written to.
package zig
