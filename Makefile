# What `go test ./...` cannot run: the editors, each in the real thing.

.PHONY: test-editors test-editors-node editors-ready

# Every editor that Debian and npm have: Vim, Neovim, Emacs with eglot and
# lsp-mode, bat for the syntax of Sublime, Chromium for the page, and all that
# Node runs. It installs what is missing, as root, and needs Go and Node 20.
test-editors:
	editors/install
	$(MAKE) editors-ready
	cd editors && KORU=$(CURDIR)/editors/.build/koru EDITORS=all npm test

# The part that needs Go and Node 20 alone, which .ci/run runs: the client of VS
# Code's own library, the extension, the TextMate and CodeMirror grammars against
# the parser, and the set-ups of the READMEs.
test-editors-node: editors-ready
	cd editors && KORU=$(CURDIR)/editors/.build/koru node --test --test-concurrency=1 \
		test/client.test.js test/extension.test.js test/textmate.test.js test/codemirror.test.js test/setup.test.js

editors-ready:
	go build -o editors/.build/koru ./cmd/koru
	cd editors && npm ci --no-audit --no-fund && npm run build
