-- Rubric for Neovim: file type and language server.
vim.filetype.add({ extension = { rubric = "rubric" } })

vim.api.nvim_create_autocmd("FileType", {
  pattern = "rubric",
  callback = function(event)
    vim.bo[event.buf].commentstring = "// %s"
    vim.bo[event.buf].expandtab = true
    vim.bo[event.buf].shiftwidth = 2
    local name = vim.api.nvim_buf_get_name(event.buf)
    local marker = vim.fs.find({ "rubric.toml", ".git" }, { upward = true, path = vim.fs.dirname(name) })[1]
    vim.lsp.start({
      name = "rubric",
      cmd = { "rubric", "lsp" },
      root_dir = marker and vim.fs.dirname(marker) or vim.fs.dirname(name),
    })
  end,
})
