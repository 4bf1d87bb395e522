-- With editors/neovim/rubric.lua loaded, opens the file that is named by FILE, waits for its diagnostics, prints their codes,
-- asks for its symbols, and prints what the queries colour and fold. For tests, and for any Neovim from 0.7:
-- FILE=broken.rubric nvim --headless --clean --cmd 'set rtp^=FOLDER' -c 'luafile tests/editors/nvim.lua'
-- where FOLDER holds plugin/rubric.lua, and parser/rubric.so and queries/rubric/ where colours are wanted.
local function give_up(why)
  io.stderr:write(why .. "\n")
  vim.cmd("cquit 1")
end

local function say(text)
  io.stderr:write(text .. "\n")
end

vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("FILE")))
if vim.bo.filetype ~= "rubric" then
  vim.cmd("set filetype=rubric")
end
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
say("DIAGNOSTICS " .. table.concat(codes, " "))

local answers = vim.lsp.buf_request_sync(0, "textDocument/documentSymbol", {
  textDocument = vim.lsp.util.make_text_document_params(),
}, 20000)
local _, answer = next(answers or {})
if not answer or not answer.result then
  give_up("no answer to a request: " .. vim.inspect(answers))
end
say("COMMENTS " .. vim.bo.commentstring)

-- Without a parser there is nothing more to see.
local parsed, parser = pcall(vim.treesitter.get_parser, 0, "rubric")
if parsed and parser then
  local tree = parser:parse()[1]
  local get = vim.treesitter.query.get or vim.treesitter.query.get_query
  say("HIGHLIGHTER " .. tostring(vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil))
  for _, kind in ipairs({ "highlights", "folds", "injections", "locals", "indents" }) do
    local query = get("rubric", kind)
    for id, node in query:iter_captures(tree:root(), 0, 0, -1) do
      local row, from, last, to = node:range()
      local text = row == last and vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]:sub(from + 1, to) or "..."
      say(("%s @%s %s"):format(kind:upper(), query.captures[id], text))
    end
  end
end
vim.cmd("qall!")
