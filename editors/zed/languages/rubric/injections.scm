; Patterns in raw texts are regular expressions.
((raw_content) @injection.content
  (#set! injection.language "regex"))
