" The wire: Koru without comments.
runtime! ftplugin/koru.vim
setlocal comments= commentstring=
