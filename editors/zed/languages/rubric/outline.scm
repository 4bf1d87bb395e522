; What the outline panel lists: the keyword as context, then the name.
(header kind: _ @context name: (name) @name) @item
(scale_declaration "scale" @context name: (name) @name) @item
(field_declaration role: _ @context name: (name) @name) @item
(candidate_declaration "candidate" @context name: (name) @name) @item
(criterion_declaration "criterion" @context name: (name) @name) @item
(checklist_declaration "checklist" @context name: (name) @name) @item
(group "group" @context name: (name) @name) @item
(node_declaration family: _ @context name: (name) @name) @item
(define_declaration "define" @context name: (name) @name) @item
(readout_declaration "readout" @context mode: (mode) @name) @item
(require_declaration "require" @context title: (text) @name) @item
(test_declaration "test" @context title: (text) @name) @item

(doc_comment) @annotation
