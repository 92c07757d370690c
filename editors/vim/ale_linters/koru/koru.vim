" ALE finds this by itself: it starts `koru lsp` for Koru buffers.
call ale#Set('koru_executable', 'koru')
call ale#Set('koru_config', {})

function! ale_linters#koru#koru#Root(buffer) abort
  let file = ale#path#FindNearestFile(a:buffer, 'koru.json')
  if !empty(file)
    return fnamemodify(file, ':h')
  endif
  let git = ale#path#FindNearestDirectory(a:buffer, '.git')
  return empty(git) ? fnamemodify(bufname(a:buffer), ':p:h') : fnamemodify(git, ':h:h')
endfunction

function! ale_linters#koru#koru#Language(buffer) abort
  return getbufvar(a:buffer, '&filetype')
endfunction

for s:type in ['koru', 'koru-wire']
  call ale#linter#Define(s:type, {
        \ 'name': 'koru',
        \ 'lsp': 'stdio',
        \ 'executable': {b -> ale#Var(b, 'koru_executable')},
        \ 'command': '%e lsp',
        \ 'project_root': function('ale_linters#koru#koru#Root'),
        \ 'language': function('ale_linters#koru#koru#Language'),
        \ 'initialization_options': {b -> ale#Var(b, 'koru_config')},
        \ })
endfor
