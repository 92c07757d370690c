-- Neovim 0.11 and later: vim.lsp.enable('koru').
return {
  cmd = { 'koru', 'lsp' },
  filetypes = { 'koru', 'koru-wire' },
  root_markers = { 'koru.json', '.git' },
}
