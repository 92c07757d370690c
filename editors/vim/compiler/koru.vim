" :make runs koru check; :cnext goes through what it found.
if exists('current_compiler')
  finish
endif
let current_compiler = 'koru'

if exists(':CompilerSet') != 2
  command -nargs=* CompilerSet setlocal <args>
endif

CompilerSet makeprg=koru\ check\ --no-color\ $*
" error[KORU022]: required branch 'unknown' not handled
"   --> shop.k:9:1
CompilerSet errorformat=%Eerror[%\\w%#]:\ %m,%Wwarning[%\\w%#]:\ %m,%C%\\s%#-->\ %f:%l:%c,%C%.%#note:\ %.%#,%C%.%#help:\ %.%#,%C%\\s%#%\\d%#\ %\\s%#\|%.%#,%C%\\s%#\|%.%#,%-G%.%#
