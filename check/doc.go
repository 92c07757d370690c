// Package check turns syntax trees into facts and findings. It is the one
// judge of the language: files, the editor, a model's reply and the machine
// ask the same functions, so they cannot disagree (design.md 3.1).
//
// A [Checker] judges an entry file with everything it imports and gives back a
// [Program]. The work runs in phases: the loader finds modules; declarations
// become [Tor] records with their types; implementations, constants and stores
// are attached to them; then every flow is resolved into a [Flow] and judged on
// its own, item by item; last, register blocks become [Scope] records.
//
// For editors (Options.Editing) a judgement follows what an edit touches. An
// outline of each file, what a module declares and the verdict on each item know
// nothing of where they stand, so versions of a program share them; a [Tor] or a
// [Flow] is made of its item when somebody asks. A keystroke costs one pass over
// a few small arrays, and the judgement of what it has changed.
//
// Findings are data ([Diagnostic]); rendering them is a function over that data.
// Nothing here does I/O: sources come from an io/fs file system.
package check
