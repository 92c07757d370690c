module github.com/koru-go/koru

go 1.26
