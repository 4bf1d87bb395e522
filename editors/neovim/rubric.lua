-- Rubric for Neovim: file type, language server, and colours where the parser is installed (see README.md).
vim.filetype.add({ extension = { rubric = "rubric" } })

-- The folder of the project: the nearest with a rubric.toml or a repository, else the file's own.
local function root_of(name)
  local folder = vim.fn.fnamemodify(name, ":p:h")
  for _, marker in ipairs({ "rubric.toml", ".git" }) do
    local found = vim.fn.findfile(marker, folder .. ";")
    if found == "" then
      found = vim.fn.finddir(marker, folder .. ";")
    end
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p:s?/$??:h")
    end
  end
  return folder
end

local function start_server(buffer)
  local config = {
    name = "rubric",
    cmd = { vim.g.rubric_path or "rubric", "lsp" },
    root_dir = root_of(vim.api.nvim_buf_get_name(buffer)),
  }
  if vim.fn.executable(config.cmd[1]) == 0 then
    local message = "Rubric: `%s` was not found; install it, or set vim.g.rubric_path to where it is"
    vim.notify_once(message:format(config.cmd[1]), vim.log.levels.WARN)
  elseif vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
  elseif #vim.lsp.buf_get_clients(buffer) == 0 then
    -- Neovim 0.7: one server a file.
    local id = vim.lsp.start_client(config)
    if id then
      vim.lsp.buf_attach_client(buffer, id)
    end
  end
end

local function start_colours(buffer)
  -- An error says that there is no parser, or that it is newer than this Neovim: then colours come from the server.
  pcall(function()
    local parser = vim.treesitter.get_parser(buffer, "rubric")
    if vim.treesitter.start then
      vim.treesitter.start(buffer, "rubric")
    else
      vim.treesitter.highlighter.new(parser)
    end
  end)
end

-- Cleared first, so that loading this file again does not start a second server.
vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("rubric", { clear = true }),
  pattern = "rubric",
  callback = function(event)
    vim.bo[event.buf].commentstring = "// %s"
    vim.bo[event.buf].expandtab = true
    vim.bo[event.buf].shiftwidth = 2
    start_colours(event.buf)
    start_server(event.buf)
  end,
})
