-- The session of a user in Neovim, by Neovim's own client. Each step says ok
-- when it is done; the first that fails ends the editor.
local buffer

local function step(name, run)
  local fine, why = xpcall(run, debug.traceback)
  if not fine then
    io.stderr:write('not ok ' .. name .. ': ' .. why .. '\n')
    vim.cmd('cquit')
  end
  io.stdout:write('ok ' .. name .. '\n')
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

local function codes()
  local list = vim.tbl_map(function(d)
    return d.code or (d.user_data and d.user_data.lsp and d.user_data.lsp.code)
  end, vim.diagnostic.get(buffer))
  table.sort(list)
  return table.concat(list, ' ')
end

-- until_ waits until what is asked for holds.
local function until_(what, holds)
  if not vim.wait(20000, holds, 20) then
    error(what .. '; the codes are "' .. codes() .. '", the text is\n' .. text())
  end
end

-- keys are pressed as a user presses them.
local function keys(typed)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(typed, true, false, true), 'tx', false)
end

local function request(method, extra)
  local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(), extra or {})
  local answers, why = vim.lsp.buf_request_sync(buffer, method, params, 10000)
  assert(answers, why)
  for _, answer in pairs(answers) do
    assert(not answer.error, vim.inspect(answer.error))
    return answer.result
  end
end

step('attach', function()
  vim.cmd('edit shop.k')
  buffer = vim.api.nvim_get_current_buf()
  assert(vim.bo.filetype == 'koru', vim.bo.filetype)
  until_('no client attached', function()
    return next(vim.lsp.buf_get_clients(buffer)) ~= nil
  end)
end)

step('diagnostics while typing a scope', function()
  vim.fn.search('^greet')
  keys('o<CR>std/runtime:register(scope: "shop") {<CR>gree(1)<CR>}<CR><Esc>')
  until_('the misspelt verb is not reported', function()
    return codes() == 'KORU040'
  end)
  assert(text():find('\n    gree%(1%)\n}\n'), text()) -- indentation is ours
  vim.fn.search('gree(')
  keys('eat<Esc>')
  until_('the mended verb is still reported', function()
    return codes() == ''
  end)
end)

step('completion of an outcome', function()
  vim.fn.search('^| unknown')
  keys('cc| <Esc>')
  until_('an arm without a name is not reported', function()
    return codes() ~= ''
  end)
  vim.api.nvim_win_set_cursor(0, { vim.fn.line('.'), 2 })
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local result = request('textDocument/completion', { position = { line = line, character = 2 } })
  local items = vim.lsp.util.text_document_completion_list_to_complete_items(result, '')
  assert(items[1].word:find('^unknown'), vim.inspect(items[1]))
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { '| ' .. items[1].word:gsub('%s*$', '') .. ' _' })
  until_('the completed outcome is still reported', function()
    return codes() == ''
  end)
end)

step('a fix applied', function()
  vim.fn.search('^| unknown')
  keys('dd')
  until_('the missing outcome is not reported', function()
    return codes() == 'KORU022'
  end)
  vim.fn.search('^stock:')
  local range = vim.lsp.util.make_range_params()
  local diagnostics = vim.lsp.diagnostic.get_line_diagnostics(buffer)
  local actions = request('textDocument/codeAction', { range = range.range, context = { diagnostics = diagnostics } })
  local client = vim.lsp.get_active_clients()[1]
  for _, action in ipairs(actions) do
    if action.title:find('unknown') then
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
      break
    end
  end
  until_('the fix changes nothing', function()
    return codes() == '' and text():find('| unknown |>') ~= nil
  end)
end)

step('rename across files', function()
  vim.fn.search('find-article')
  vim.lsp.buf.rename('look-up')
  until_('the verb is not renamed here', function()
    return text():find('stock:look%-up') ~= nil
  end)
  until_('the verb is not renamed in the module', function()
    local other = vim.fn.bufnr('stock.k')
    return other > 0 and table.concat(vim.api.nvim_buf_get_lines(other, 0, -1, false), '\n'):find('pub tor look%-up') ~= nil
  end)
  until_('the rename breaks something', function()
    return codes() == ''
  end)
end)

step('format', function()
  vim.fn.search('^tor greet')
  keys('A   <Esc>')
  vim.lsp.buf.formatting_sync(nil, 10000)
  until_('the blanks are still there', function()
    return text():find('tor greet { name: string }\n') ~= nil
  end)
end)

vim.cmd('silent wall')
vim.cmd('qall!')
