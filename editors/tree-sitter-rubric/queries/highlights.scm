; Colours. The names of captures are those that the tree-sitter CLI and Neovim share; where two patterns fit, the later wins.

; Names that stand for a value
(path (name) @variable)
(path "." (name) @variable.member)

; What is declared
(header name: (name) @module)
(use_declaration name: (name) @module)
(scale_declaration name: (name) @type)
(field_declaration name: (name) @variable.parameter)
(candidate_declaration name: (name) @variable.parameter)
(record_field name: (name) @variable.member)
(criterion_declaration name: (name) @variable)
(checklist_declaration name: (name) @variable)
(node_declaration name: (name) @variable)
(define_declaration name: (name) @function)
(parameter name: (name) @variable.parameter)
(readout_declaration name: (name) @variable)
(readout_declaration mode: (mode) @attribute)
(item name: (name) @variable.member)
(group name: (name) @variable.member)
(tag_statement key: (name) @attribute)
(property name: (name) @function)
(given candidate: (name) @variable.parameter)

; Types
(named_type (path (name) @type))
((named_type (path . (name) @type.builtin .)) (#eq? @type.builtin "bool"))
(range_type word: (name) @type.builtin)
(labelled_type word: (name) @type.builtin)
(field_kind (name) @type.builtin)
(label (name) @constant)
(level_statement value: (name) @constant)
(type_expression . (path (name) @type.builtin))

; Operators and judges
(call operator: (path (name) @function))
(call operator: (path (name) @module "." (name) @function))
(judge name: (name) @function.builtin)
(argument name: (name) @property)
(confidence left: (name) @variable.builtin)

; Keys of a given or an example
(assignment key: (path (name) @property))

; Keywords
[
  "rubric" "library" "use" "as" "scale" "default" "judge" "input" "reference" "candidate" "criterion" "checklist" "from"
  "transform" "reduce" "gate" "define" "readout" "observe" "require" "test" "ask" "level" "example" "sees" "applies" "tag"
  "group" "weight" "given" "expect" "max" "if" "then" "else" "when" "unless"
] @keyword
(rest) @keyword
(below "below" @keyword)
["and" "or" "not"] @keyword.operator

; Signs
["=" "==" "!=" "<" "<=" ">" ">=" "=>" "+" "-" "*" "/" ".." "?"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "."] @punctuation.delimiter

; Values
(number) @number
(points) @number
(boolean) @boolean
(unknown) @constant.builtin
(text) @string
(raw_content) @string.special
(escape) @string.escape
(placeholder ["{{" "}}"] @punctuation.special)
(placeholder (field) @variable.parameter)

(comment) @comment
(doc_comment) @comment.documentation
