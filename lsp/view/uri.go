package view

import (
	"net/url"
	"path"
	"strings"

	"go.lsp.dev/uri"
)

// StdScheme is the scheme of the virtual documents that show the contracts of
// the standard library: koru-std:/std/io.k.
const StdScheme = "koru-std"

// stdPrefix begins the paths of those documents.
const stdPrefix = "std:/"

// PathOf returns the path that a URI means: two URIs that mean one document have
// one path.
func (s *Snapshot) PathOf(u uri.URI) string { return s.pathOf(u) }

// Canonical returns the one spelling of a URI that every client understands.
func (s *Snapshot) Canonical(u uri.URI) uri.URI { return uriOf(s.pathOf(u)) }

// URIOf returns the canonical URI of a path as the system writes it.
func URIOf(path string) uri.URI {
	return uriOf("/" + strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "/"))
}

// pathOf returns the path that a URI means, however the client spells it:
// escapes, the case of a drive letter, an empty or local authority and doubled
// slashes make no difference. A scheme that is no file of this machine stands
// for a buffer without a file; it lies in the first root, so that its imports
// lead somewhere.
func (s *Snapshot) pathOf(u uri.URI) string {
	scheme, rest, ok := strings.Cut(string(u), ":")
	switch {
	case ok && strings.EqualFold(scheme, "file"):
		return filePath(rest)
	case ok && scheme == StdScheme:
		return stdPrefix + strings.TrimLeft(unescape(rest), "/")
	}
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == 0 {
			return '_'
		}
		return r
	}, unescape(string(u)))
	return path.Join("/", s.home(), name)
}

// filePath returns the path of what follows file: in a URI.
func filePath(rest string) string {
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host, rest = after, ""
		if i := strings.IndexByte(after, '/'); i >= 0 {
			host, rest = after[:i], after[i:]
		}
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	name := strings.ReplaceAll(unescape(rest), `\`, "/")
	if host = unescape(host); isDrive(host) { // file://c:/x, as some write it
		name = "/" + host + name
	} else if host != "" && !strings.EqualFold(host, "localhost") {
		name = "//" + strings.ToLower(host) + name
	}
	unc := strings.HasPrefix(name, "//") && host != ""
	name = path.Clean("/" + name)
	if len(name) >= 3 && isDrive(name[1:3]) {
		name = "/" + strings.ToLower(name[1:2]) + name[2:]
	}
	if unc {
		return "/" + name
	}
	return name
}

func isDrive(s string) bool {
	return len(s) == 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

// unescape decodes what is escaped and leaves a stray percent sign alone.
func unescape(s string) string {
	if out, err := url.PathUnescape(s); err == nil {
		return out
	}
	var b strings.Builder
	for len(s) > 0 {
		if s[0] == '%' && len(s) >= 3 {
			if out, err := url.PathUnescape(s[:3]); err == nil {
				b.WriteString(out)
				s = s[3:]
				continue
			}
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// uriOf returns the canonical URI of a path.
func uriOf(name string) uri.URI {
	if rest, ok := strings.CutPrefix(name, stdPrefix); ok {
		return uri.URI(StdScheme + ":/" + rest)
	}
	if host, rest, unc := strings.Cut(strings.TrimPrefix(name, "//"), "/"); unc && strings.HasPrefix(name, "//") {
		return uri.URI("file://" + host + escape("/"+rest))
	}
	return uri.URI("file://" + escape(name))
}

// escape spells a path as most clients do: whatever is not plain is escaped, a
// colon too.
func escape(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("/-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
