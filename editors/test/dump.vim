" Writes the syntax group of every byte of the buffer, one line of groups a line
" of the buffer, as runs: GROUP*COUNT.
let s:lines = []
for s:lnum in range(1, line('$'))
  let s:runs = []
  let s:last = ''
  let s:count = 0
  for s:col in range(1, col([s:lnum, '$']) - 1)
    let s:group = join(map(synstack(s:lnum, s:col), 'synIDattr(v:val, "name")'), '.')
    if s:group ==# s:last
      let s:count += 1
    else
      if s:count > 0
        call add(s:runs, s:last . '*' . s:count)
      endif
      let s:last = s:group
      let s:count = 1
    endif
  endfor
  if s:count > 0
    call add(s:runs, s:last . '*' . s:count)
  endif
  call add(s:lines, join(s:runs, ' '))
endfor
call writefile(s:lines, $KORU_DUMP)
quitall!
