" Koru: how lines are indented. Only brackets indent by themselves; an arm or a
" |> starts where the line above starts, and is the author's to move.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=KoruIndent(v:lnum)
setlocal indentkeys=0),0],0},!^F,o,O
setlocal nolisp nosmartindent autoindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< smartindent< autoindent< lisp<'

if exists('*KoruIndent')
  finish
endif

" Whether a bracket stands in a text or a comment.
let s:hidden = 'synIDattr(synID(line("."), col("."), 0), "name") =~? ''string\|comment\|character'''

" The text of a line without what hides brackets.
function! s:Code(lnum) abort
  let text = substitute(getline(a:lnum), '"\%(\\.\|[^"\\]\)*"', '""', 'g')
  let text = substitute(text, "'\\%(\\\\.\\|[^'\\\\]\\)'", "''", 'g')
  return substitute(text, '//.*$', '', '')
endfunction

function! KoruIndent(lnum) abort
  let above = prevnonblank(a:lnum - 1)
  if above == 0
    return 0
  endif
  let text = s:Code(above)
  let steps = 0
  for c in split(text, '\zs')
    if c =~# '[[({]'
      let steps += 1
    elseif c =~# '[])}]'
      let steps = max([steps - 1, 0])
    endif
  endfor
  let indent = indent(above) + (steps > 0 ? shiftwidth() : 0)
  if getline(a:lnum) =~# '^\s*[])}]'
    let indent -= shiftwidth()
  elseif a:lnum - above > 1 && steps == 0 && text !~# '^\s*[])}]'
    " A blank line ends a flow: the next one starts where its block does.
    let open = searchpairpos('[[({]', '', '[])}]', 'bnW', s:hidden)[0]
    let indent = open > 0 ? indent(open) + shiftwidth() : 0
  endif
  return max([indent, 0])
endfunction
