-- Starts `koru lsp` for Koru buffers, on every Neovim since 0.7.
local M = {}

-- Options of setup, and their defaults.
M.options = {
  cmd = { 'koru', 'lsp' }, -- what starts the server
  settings = {}, -- the section "koru": scope, program, docsUrl, hints
  capabilities = nil, -- of the client, where a completion plugin adds some
  on_attach = nil, -- called with the client and the buffer
}

-- root returns the folder of a project: the nearest one with a koru.json or a
-- .git, else the folder of the file.
function M.root(file)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  for _, marker in ipairs({ 'koru.json', '.git' }) do
    local found = vim.fn.findfile(marker, vim.fn.fnameescape(folder) .. ';')
    if found == '' then
      found = vim.fn.finddir(marker, vim.fn.fnameescape(folder) .. ';')
    end
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p:h' .. (marker == '.git' and ':h' or ''))
    end
  end
  return folder
end

local function config(root)
  return {
    name = 'koru',
    cmd = M.options.cmd,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = vim.fn.fnamemodify(root, ':t') } },
    settings = { koru = M.options.settings },
    init_options = M.options.settings,
    capabilities = M.options.capabilities,
    on_attach = M.options.on_attach,
    get_language_id = function(_, filetype)
      return filetype
    end,
  }
end

-- clients holds the ids by folder, for a Neovim that does not share them itself.
local clients = {}

local function attach(buffer)
  local root = M.root(vim.api.nvim_buf_get_name(buffer))
  if vim.lsp.start then
    vim.lsp.start(config(root), { bufnr = buffer })
    return
  end
  local id = clients[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(config(root))
    clients[root] = id
  end
  vim.lsp.buf_attach_client(buffer, id)
end

-- setup starts the server for every Koru buffer, those that are open too.
function M.setup(options)
  M.options = vim.tbl_extend('force', M.options, options or {})
  if vim.lsp.config and vim.lsp.enable then
    local own = { cmd = M.options.cmd, settings = { koru = M.options.settings }, init_options = M.options.settings }
    own.capabilities, own.on_attach = M.options.capabilities, M.options.on_attach
    vim.lsp.config('koru', own)
    vim.lsp.enable('koru')
    return
  end
  local group = vim.api.nvim_create_augroup('koru', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = { 'koru', 'koru-wire' },
    callback = function(event)
      attach(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains({ 'koru', 'koru-wire' }, vim.bo[buffer].filetype) then
      attach(buffer)
    end
  end
end

return M
