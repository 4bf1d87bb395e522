; Brackets by depth.
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
] @rainbow.scope

["(" ")" "[" "]" "{" "}"] @rainbow.bracket
