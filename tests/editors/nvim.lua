-- Starts `rubric lsp` in Neovim on the file that is named, waits for its diagnostics, and prints their codes. For tests:
-- RUBRIC=target/debug/rubric nvim --headless --clean -l tests/editors/nvim.lua broken.rubric
local file = arg[1]
vim.cmd.edit(file)
vim.bo.filetype = "rubric"
local client = vim.lsp.start({
  name = "rubric",
  cmd = { os.getenv("RUBRIC") or "rubric", "lsp" },
  root_dir = vim.fs.dirname(file),
})
if not client then
  print("the server did not start")
  os.exit(1)
end
local found = vim.wait(30000, function()
  return #vim.diagnostic.get(0) > 0
end, 50)
if not found then
  print("no diagnostics came")
  os.exit(1)
end
local codes = {}
for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
  table.insert(codes, tostring(diagnostic.code))
end
table.sort(codes)
print("DIAGNOSTICS " .. table.concat(codes, " "))
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", {
  textDocument = vim.lsp.util.make_text_document_params(0),
  position = { line = 2, character = 12 },
}, 30000)
if not hover or vim.tbl_isempty(hover) then
  print("no answer to a hover")
  os.exit(1)
end
vim.lsp.stop_client(vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients())
os.exit(0)
