module github.com/koru-go/koru

go 1.26

require github.com/google/go-cmp v0.7.0

require go.starlark.net v0.0.0-20260908191801-89a6a09411d5
