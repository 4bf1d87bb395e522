; Names of a file, and the parameters of a `define`, which hold in it alone.
(source_file) @local.scope
(define_declaration) @local.scope

(use_declaration name: (name) @local.definition)
(scale_declaration name: (name) @local.definition)
(field_declaration name: (name) @local.definition)
(candidate_declaration name: (name) @local.definition)
(criterion_declaration name: (name) @local.definition)
(checklist_declaration name: (name) @local.definition)
(node_declaration name: (name) @local.definition)
(parameter name: (name) @local.definition)

(path . (name) @local.reference)
