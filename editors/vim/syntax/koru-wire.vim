" The wire dialect: no comments, arms behind their call, strings over lines.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/koru.vim
unlet! b:current_syntax

syntax clear koruComment
syntax match koruReference "\<r\d\+"
syntax region koruString start=+"+ skip=+\\.+ end=+"+ contains=koruEscape,koruSplice
syntax match koruArm "|\@1<!|[|>]\@!\s*\(?!\?\)\?\ze\s*[A-Za-z_`]" skipwhite nextgroup=koruArmName,koruRawName
syntax match koruSpokenText +.*$+ contained contains=koruSplice
execute 'syntax match koruSpoken +\v^' . g:koru_spoken . ':+ nextgroup=koruSpokenText'

highlight default link koruReference Identifier
highlight default link koruSpoken Keyword
highlight default link koruSpokenText String

let b:current_syntax = 'koru-wire'
