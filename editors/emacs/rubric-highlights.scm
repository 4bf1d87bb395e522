; Colours as faces of Emacs; `rubric-ts-mode' reads them. Later patterns override.

; Names that stand for a value
(path (name) @font-lock-variable-use-face)
(path "." (name) @font-lock-property-name-face)

; What is declared
(header name: (name) @font-lock-constant-face)
(use_declaration name: (name) @font-lock-constant-face)
(scale_declaration name: (name) @font-lock-type-face)
(field_declaration name: (name) @font-lock-variable-name-face)
(candidate_declaration name: (name) @font-lock-variable-name-face)
(record_field name: (name) @font-lock-property-name-face)
(criterion_declaration name: (name) @font-lock-variable-use-face)
(checklist_declaration name: (name) @font-lock-variable-use-face)
(node_declaration name: (name) @font-lock-variable-use-face)
(define_declaration name: (name) @font-lock-function-name-face)
(parameter name: (name) @font-lock-variable-name-face)
(readout_declaration name: (name) @font-lock-variable-use-face)
(readout_declaration mode: (mode) @font-lock-preprocessor-face)
(item name: (name) @font-lock-property-name-face)
(group name: (name) @font-lock-property-name-face)
(tag_statement key: (name) @font-lock-preprocessor-face)
(property name: (name) @font-lock-function-name-face)
(given candidate: (name) @font-lock-variable-name-face)

; Types
(named_type (path (name) @font-lock-type-face))
(range_type word: (name) @font-lock-type-face)
(labelled_type word: (name) @font-lock-type-face)
(field_kind (name) @font-lock-type-face)
(label (name) @font-lock-constant-face)
(level_statement value: (name) @font-lock-constant-face)
(type_expression . (path (name) @font-lock-type-face))

; Operators and judges
(call operator: (path (name) @font-lock-function-name-face))
(call operator: (path (name) @font-lock-constant-face "." (name) @font-lock-function-name-face))
(judge name: (name) @font-lock-builtin-face)
(argument name: (name) @font-lock-property-name-face)
(confidence left: (name) @font-lock-variable-name-face)

; Keys of a given or an example
(assignment key: (path (name) @font-lock-property-name-face))

; Keywords
[
  "rubric" "library" "use" "as" "scale" "default" "judge" "input" "reference" "candidate" "criterion" "checklist" "from"
  "transform" "reduce" "gate" "define" "readout" "observe" "require" "test" "ask" "level" "example" "sees" "applies" "tag"
  "group" "weight" "given" "expect" "max" "if" "then" "else" "when" "unless"
] @font-lock-keyword-face
(rest) @font-lock-keyword-face
(below "below" @font-lock-keyword-face)
["and" "or" "not"] @font-lock-keyword-face

; Signs
["=" "==" "!=" "<" "<=" ">" ">=" "=>" "+" "-" "*" "/" ".." "?"] @font-lock-operator-face
["(" ")" "[" "]" "{" "}"] @font-lock-bracket-face
["," ":" "."] @font-lock-delimiter-face

; Values
(number) @font-lock-number-face
(points) @font-lock-number-face
(boolean) @font-lock-constant-face
(unknown) @font-lock-constant-face
(text) @font-lock-string-face
(raw_content) @font-lock-regexp-face
(escape) @font-lock-escape-face
(placeholder ["{{" "}}"] @font-lock-misc-punctuation-face)
(placeholder (field) @font-lock-variable-name-face)

(comment) @font-lock-comment-face
(doc_comment) @font-lock-doc-face
