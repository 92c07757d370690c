runtime! indent/koru.vim
