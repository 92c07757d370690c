" The session of a user of ALE, whose screen nobody sees. Each step is written to
" the file 'steps'; the first that fails ends Vim.
function! Codes() abort
  return join(sort(map(copy(getloclist(0)), 'matchstr(v:val.text, "\\(KORU\\|PARSE\\)\\d\\+")')), ' ')
endfunction

function! Until(what, holds) abort
  let tries = 0
  while !eval(a:holds) && tries < 400
    sleep 50m
    let tries += 1
  endwhile
  if !eval(a:holds)
    call writefile(['not ok ' . a:what . ': ' . string(getloclist(0)) . string(getline(1, '$'))], 'steps', 'a')
    cquit!
  endif
  call writefile(['ok ' . a:what], 'steps', 'a')
endfunction

let g:ale_loclist_msg_format = '%code: %%s'
set hidden
edit shop.k
call search('^| unknown')
normal! dd
call ale#Queue(0)
call Until('a fault is reported', 'Codes() ==# "KORU022"')
call append(line('$'), '| unknown |> _')
call ale#Queue(0)
call Until('the mended fault is gone', 'Codes() ==# ""')
call search('find-article')
call feedkeys(":ALERename\<CR>\<C-u>look-up\<CR>", 'tx')
call Until('the verb is renamed', 'search("stock:look-up(sku", "nw") > 0')
call Until('in the module too', 'join(readfile("stock.k")) =~# "pub tor look-up" || join(getbufline("stock.k", 1, "$")) =~# "pub tor look-up"')
qall!
