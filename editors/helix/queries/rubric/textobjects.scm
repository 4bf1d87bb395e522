; What `maf`, `mic` and their like select.
[
  (node_declaration)
  (define_declaration)
] @function.around
(node_declaration value: (_) @function.inside)
(define_declaration value: (_) @function.inside)

[
  (criterion_declaration)
  (checklist_declaration)
] @class.around
(criterion_declaration body: (_) @class.inside)
(checklist_declaration body: (_) @class.inside)

(test_declaration body: (_) @test.inside) @test.around

(argument) @parameter.inside
(parameter) @parameter.inside
(arm) @entry.around

[(comment) (doc_comment)] @comment.inside
[(comment) (doc_comment)]+ @comment.around
