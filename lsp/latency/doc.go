// Package latency measures the language server through the protocol, beside its
// peers: how long after a keystroke an answer comes.
//
//	go test ./lsp/latency -measure -v
//
// builds koru, starts it and whichever of gopls, cue and buf are on the PATH, one
// after the other, and types into generated files of 5,000 and 50,000 lines: a
// didChange followed by one request, many times, for every request that the
// server offers; p50, p95 and the worst in milliseconds. It also measures the
// time from spawn to the reply to initialize, the memory with the folder in
// KORU_CORPUS as workspace before and after 10,000 edits, and the processor time
// used while idle after a flood. -only picks servers, -lines sizes, -keys the
// number of keystrokes.
//
// Figures of different runs are not comparable: run all servers in one.
package latency
