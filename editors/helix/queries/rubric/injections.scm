; Patterns in raw texts are regular expressions.
((raw_content) @injection.content
  (#set! injection.language "regex"))

; TODO and links in comments, where a parser for them is installed.
([(comment) (doc_comment)] @injection.content
  (#set! injection.language "comment"))
