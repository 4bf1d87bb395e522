; What can be folded: bodies, tables, lists over several lines, text blocks.
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
  (text)
] @fold
