package main

import (
	"maps"
	"sync"

	"github.com/koru-go/koru/bridge"
	"github.com/koru-go/koru/eval"
	"github.com/koru-go/koru/eval/js"
	"github.com/koru-go/koru/eval/zig"
	"github.com/koru-go/koru/stdlib"
)

// bodies are the Go bodies of the standard library, those of sessions included.
var bodies = sync.OnceValue(func() eval.Bodies {
	all := eval.Bodies{}
	maps.Copy(all, stdlib.Bodies())
	maps.Copy(all, bridge.Bodies())
	return all
})

// targets are the host languages whose bodies run here, in order of preference.
var targets = sync.OnceValue(func() []eval.Target {
	return []eval.Target{&js.Target{}, &zig.Target{Others: "js"}}
})
