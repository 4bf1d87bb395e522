(text) @string
[(comment) (doc_comment)] @comment.inclusive
