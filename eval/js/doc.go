// Package js runs the |js bodies of verbs (R2, R47, R85, R98, R101) with goja.
//
//	tor price { sku: string }
//	| priced i64
//	| sold-out
//	proc price|js {
//	    const stock = { pen: 3, desk: 240 };
//	    return sku in stock ? { priced: stock[sku] } : "sold_out";
//	}
//
// # What a body sees
//
// Every field of the verb is a variable of its name; a field whose name is a
// reserved word has an underscore after it (class_). Text, numbers and booleans
// are themselves, a list is an array, a record an object, an absent value null.
// An integer beyond ±2^53 is a BigInt. A handle is an object that shows its
// token, holds nothing, and can be returned as the handle it is. Bytes of a text
// that are not UTF-8 arrive as U+FFFD.
//
// Every effect of the verb is a function of its name in snake case. It takes the
// payload (a record as an object) and returns what the caller's handler resumes
// with: the value of a `-> T`, { arm: payload } of named resume arms, undefined
// of a void effect or one that nobody handles. A payload that does not fit
// throws a TypeError. If the handler itself fails, the body is over: neither
// catch nor finally runs.
//
// The language is what goja knows of ECMAScript, in strict mode, without
// generator functions and without ways to turn text into code. Async functions
// run, though there is nothing to wait for. console.log, info, warn, error and
// debug write a line to the program's standard error; there is no other input
// or output. Date reads the host's clock and Math.random a fixed sequence,
// unless the host gives another, so that a program runs the same way twice.
//
// # What a body returns
//
//	declared                      returned
//	-> T                          the value
//	| arm T, | arm { … }          { arm: value }
//	| arm                         "arm", { arm: null } or { arm: undefined }
//	nothing (a void verb)         nothing: undefined or null
//
// A kebab arm is spelled as declared or in snake case. Integral numbers and
// BigInts are integers and must be in the range of their type. Arrays, plain
// objects and instances of classes are read by their own fields; a field that is
// undefined is left out. Functions, symbols, dates, maps and sets are not
// values. What is returned for a *T that is not a handle becomes the object
// behind a new one: bodies that take the handle see it again, as the last body
// left it.
//
// Anything else fails the step (R47), and no outcome is invented: a throw, an
// outcome that is not declared, a payload that does not fit, a value from a
// void verb. The error is an *eval.BodyError with the place in the body.
//
// # Bounds
//
// A body is bounded in time ([Target.Time], its own time only, not that of
// handlers), in calls inside each other (2,000), in memory, and in what it
// delivers (64 levels, a million values, 16 MiB of text). The source of a body
// is bounded too: 32 KiB.
//
// The engine can be interrupted between any two instructions, so time is
// bounded exactly. It does not count memory: a watch looks every five
// milliseconds how much the process has grown, and ends the body when it is
// more than [Target.Memory]. What a single instruction can use is bounded by
// the built-ins themselves: those that work through a length refuse more than
// a million elements or 16 million characters, those that could visit a shared
// part for ever are replaced by ones that can be interrupted, and binary
// buffers are not there (lockdown.js). Powers and shifts of big integers take
// literals only. Backtracking regular expressions stop by a clock of their own,
// regexp2.DefaultMatchTimeout, which this package sets to [MaxTime] for the
// whole process: one match can overrun a shorter Time until then.
//
// What is left is an author who builds an endless iterator out of native
// functions, or hides a BigInt from the check of its powers; programs are run
// by people who read them, while what models write never becomes a body.
//
// # One engine, many bodies
//
// An engine takes milliseconds to make and a call microseconds, so engines are
// kept and serve one call after the other. All objects that bodies could share
// are frozen, so nothing that one call does is there for the next: not between
// verbs, not between sessions, not between programs of one process. An engine
// that was interrupted is thrown away.
package js
