; Neovim's indentation.
[
  (record)
  (body)
  (checklist_body)
  (parameters)
  (clauses)
  (test_body)
  (assignments)
  (arguments)
  (table)
  (list)
  (parenthesized)
] @indent.begin

; The rest of a declaration that goes on in the next line.
[
  (node_declaration)
  (define_declaration)
  (readout_declaration)
  (scale_declaration)
] @indent.begin

["}" ")" "]"] @indent.end @indent.branch

[(comment) (doc_comment)] @indent.ignore

; The lines of a text are its own business.
(text) @indent.auto
