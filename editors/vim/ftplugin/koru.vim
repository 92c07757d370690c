" Koru: how a buffer behaves.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
let s:cpo = &cpo
set cpo&vim

setlocal commentstring=//\ %s
setlocal comments=://
setlocal formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=4 softtabstop=4
" A verb is one word: give-back.
setlocal iskeyword=@,48-57,_,-
setlocal suffixesadd=.k,.kz,.kjs
setlocal include=^\\s*\\~\\?import
setlocal includeexpr=substitute(v:fname,'^app/','','')
setlocal define=^\\s*\\~\\?\\%(pub\\s\\+\\)\\?tor

if exists(':CompilerSet') != 2
  compiler koru
endif

let b:undo_ftplugin = 'setlocal commentstring< comments< formatoptions< expandtab< shiftwidth< softtabstop<'
      \ . ' iskeyword< suffixesadd< include< includeexpr< define<'

let &cpo = s:cpo
unlet s:cpo
