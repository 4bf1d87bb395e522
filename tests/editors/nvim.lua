-- Starts `rubric lsp` in Neovim on the file that is open, waits for its diagnostics, and prints their codes. For tests, and for
-- any Neovim from 0.7:
-- RUBRIC=target/debug/rubric nvim --headless --clean broken.rubric -c 'luafile tests/editors/nvim.lua'
local function give_up(why)
  io.stderr:write(why .. "\n")
  vim.cmd("cquit 1")
end

local id = vim.lsp.start_client({
  name = "rubric",
  cmd = { os.getenv("RUBRIC") or "rubric", "lsp" },
  root_dir = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ":h"),
})
if not id then
  give_up("the server did not start")
end
vim.lsp.buf_attach_client(0, id)
local found = vim.wait(20000, function()
  return #vim.diagnostic.get(0) > 0
end, 50)
if not found then
  give_up("no diagnostics came")
end
local codes = {}
for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
  local code = diagnostic.code or (diagnostic.user_data and diagnostic.user_data.lsp and diagnostic.user_data.lsp.code)
  table.insert(codes, tostring(code))
end
table.sort(codes)
io.stderr:write("DIAGNOSTICS " .. table.concat(codes, " ") .. "\n")
local symbols = vim.lsp.buf_request_sync(0, "textDocument/documentSymbol", {
  textDocument = vim.lsp.util.make_text_document_params(),
}, 20000)
if not symbols or vim.tbl_isempty(symbols) or not symbols[id].result then
  give_up("no answer to a request")
end
vim.cmd("qall!")
