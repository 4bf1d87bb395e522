(node_declaration value: (_) @function.inside) @function.around
(define_declaration value: (_) @function.inside) @function.around
(criterion_declaration body: (_) @class.inside) @class.around
(checklist_declaration body: (_) @class.inside) @class.around
(test_declaration body: (_) @function.inside) @function.around
[(comment) (doc_comment)]+ @comment.around
