// Package promote decides whether a verb that a session taught itself becomes
// part of a world (bridge.md 11.7, R14).
//
// The way is stage, baseline, judge, promote, heir. A candidate is staged: its
// bytes are frozen. Canned sessions are replayed without it and with it, and
// it passes if none of them got worse and one of them used it. In a replay no
// body runs: every outcome is one that was recorded, so that a verdict follows
// from the bytes of the candidate, of what the world and the scope grant, and
// of the sessions, and from nothing else. It is bound to them by their SHA-256,
// and made again when the candidate is promoted: whatever was changed in
// between, the verdict itself included, voids it.
//
// The gate belongs to the host. No reply can reach it.
package promote
