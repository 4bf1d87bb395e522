; Indentation.
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
] @indent

["}" ")" "]"] @outdent
