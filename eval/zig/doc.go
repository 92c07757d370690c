// Package zig evaluates a documented subset of Zig, so that verb bodies written
// for Koru's first host run here as they are printed (R2, R84).
//
// The subset, statements: const and var with or without a type, assignment
// (= += -= *= /= %=), return, if and else with a captured optional, while with a
// captured optional and a continue expression, for over slices, arrays and
// ranges with an index, switch, break, continue, blocks, _ = value.
//
// Expressions: integers, floats, bools, characters, strings and \\ lines, null,
// undefined, array literals [_]T{…}, anonymous literals .{…} and .name, indexing
// and slicing, .len and fields, .? and .*, &x, arithmetic, comparison, and, or,
// !, ++, orelse, try, catch, if and switch as values, unreachable.
//
// Calls: std.mem.eql, startsWith, endsWith and indexOf; std.fmt.bufPrint and
// allocPrint with {s} {d} {}; std.debug.print; std.heap.page_allocator; @as,
// @intCast, @mod, @min, @max, @panic; the effects of the verb by their snake
// names; $mod.name for the literal and array declarations of the same file.
//
// Inputs are in scope by name. A body of `-> T` returns a value; one with
// outcomes returns .{ .arm = value }, or .arm if the outcome has no payload.
//
// Integers have the width of their type and are checked: overflow, division by
// zero and an index out of bounds are located errors, as they are panics in
// Zig's safe builds. Anything beyond the subset is an error when the body is
// compiled, with the construct and its place; nothing of it has run then.
package zig
