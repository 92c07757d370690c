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
// Findings are data ([Diagnostic]); rendering them is a function over that data.
// Nothing here does I/O: sources come from an io/fs file system.
package check
