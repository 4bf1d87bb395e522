;;; rubric-mode.el --- Rubrics with their language server  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "29.1"))

;;; Commentary:

;; A mode for `.rubric' files: comments, strings, indentation by steps, and `rubric lsp' through eglot.

;;; Code:

(require 'eglot)

(defvar rubric-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "w" table)
    table)
  "How characters are read in `rubric-mode'.")

(defconst rubric-mode-keywords
  (regexp-opt
   '("rubric" "library" "use" "as" "scale" "default" "judge" "input" "reference" "candidate" "criterion"
     "checklist" "from" "transform" "reduce" "gate" "define" "readout" "observe" "require" "test" "ask"
     "level" "example" "sees" "applies" "tag" "group" "weight" "given" "expect" "when" "unless" "if" "then"
     "else" "and" "or" "not" "true" "false" "unknown")
   'words)
  "Words of the language.")

;;;###autoload
(define-derived-mode rubric-mode prog-mode "Rubric"
  "Rubrics for judging text."
  (setq-local comment-start "// ")
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 2)
  (setq-local font-lock-defaults `(((,rubric-mode-keywords . font-lock-keyword-face))))
  (eglot-ensure))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.rubric\\'" . rubric-mode))
(add-to-list 'eglot-server-programs '(rubric-mode . ("rubric" "lsp")))

(provide 'rubric-mode)
;;; rubric-mode.el ends here
