; Colours, in the names of Helix. Where two patterns fit, the later wins (Helix 25.07 and newer).

; Names that stand for a value
(path (name) @variable)
(path "." (name) @variable.other.member)

; What is declared
(header name: (name) @namespace)
(use_declaration name: (name) @namespace)
(scale_declaration name: (name) @type)
(field_declaration name: (name) @variable.parameter)
(candidate_declaration name: (name) @variable.parameter)
(record_field name: (name) @variable.other.member)
(criterion_declaration name: (name) @variable)
(checklist_declaration name: (name) @variable)
(node_declaration name: (name) @variable)
(define_declaration name: (name) @function)
(parameter name: (name) @variable.parameter)
(readout_declaration name: (name) @variable)
(readout_declaration mode: (mode) @attribute)
(item name: (name) @variable.other.member)
(group name: (name) @variable.other.member)
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
(call operator: (path (name) @namespace "." (name) @function))
(judge name: (name) @function.builtin)
(argument name: (name) @variable.other.member)
(confidence left: (name) @variable.builtin)

; Keys of a given or an example
(assignment key: (path (name) @variable.other.member))

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
(number) @constant.numeric
(points) @constant.numeric
(boolean) @constant.builtin.boolean
(unknown) @constant.builtin
(text) @string
(raw_content) @string.regexp
(escape) @constant.character.escape
(placeholder ["{{" "}}"] @punctuation.special)
(placeholder (field) @variable.parameter)

(comment) @comment.line
(doc_comment) @comment.line.documentation
