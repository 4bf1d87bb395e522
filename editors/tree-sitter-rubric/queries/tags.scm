; What a file declares, for jumping to it.
(scale_declaration name: (name) @name) @definition.type
(field_declaration name: (name) @name) @definition.field
(candidate_declaration name: (name) @name) @definition.field
(criterion_declaration name: (name) @name) @definition.constant
(checklist_declaration name: (name) @name) @definition.constant
(node_declaration name: (name) @name) @definition.function
(define_declaration name: (name) @name) @definition.function

(call operator: (path (name) @name)) @reference.call
