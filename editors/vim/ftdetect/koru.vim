" .kz holds Zig beside Koru, .kjs JavaScript; a folder named world holds
" definitions in the dialect of the wire. Vim itself takes .k for KWT, so the
" type is set and not only offered.
autocmd BufNewFile,BufRead *.k,*.kz,*.kjs set filetype=koru
autocmd BufNewFile,BufRead */world/*.k,*.koru-wire set filetype=koru-wire
