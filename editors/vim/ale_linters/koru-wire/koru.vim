runtime! ale_linters/koru/koru.vim
