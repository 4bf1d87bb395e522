; Colours, in the names of Zed's themes. Where two patterns fit, the later wins.

; Names that stand for a value
(path (name) @variable)
(path "." (name) @property)

; What is declared
(header name: (name) @namespace)
(use_declaration name: (name) @namespace)
(scale_declaration name: (name) @type)
(field_declaration name: (name) @variable)
(candidate_declaration name: (name) @variable)
(record_field name: (name) @property)
(criterion_declaration name: (name) @variable)
(checklist_declaration name: (name) @variable)
(node_declaration name: (name) @variable)
(define_declaration name: (name) @function)
(parameter name: (name) @variable)
(readout_declaration name: (name) @variable)
(readout_declaration mode: (mode) @attribute)
(item name: (name) @property)
(group name: (name) @property)
(tag_statement key: (name) @attribute)
(property name: (name) @function)
(given candidate: (name) @variable)

; Types
(named_type (path (name) @type))
((named_type (path . (name) @type .)) (#eq? @type "bool"))
(range_type word: (name) @type)
(labelled_type word: (name) @type)
(field_kind (name) @type)
(label (name) @constant)
(level_statement value: (name) @constant)
(type_expression . (path (name) @type))

; Operators and judges
(call operator: (path (name) @function))
(call operator: (path (name) @namespace "." (name) @function))
(judge name: (name) @function)
(argument name: (name) @property)
(confidence left: (name) @variable.special)

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
["and" "or" "not"] @operator

; Signs
["=" "==" "!=" "<" "<=" ">" ">=" "=>" "+" "-" "*" "/" ".." "?"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "."] @punctuation.delimiter

; Values
(number) @number
(points) @number
(boolean) @boolean
(unknown) @constant
(text) @string
(raw_content) @string.regex
(escape) @string.escape
(placeholder ["{{" "}}"] @punctuation.special)
(placeholder (field) @variable)

(comment) @comment
(doc_comment) @comment.doc
