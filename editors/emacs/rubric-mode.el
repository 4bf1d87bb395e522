;;; rubric-mode.el --- Rubrics with their language server  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1") (eglot "1.9"))

;;; Commentary:

;; A mode for `.rubric' files: comments, strings, indentation by steps, and `rubric lsp' through eglot (which comes with
;; Emacs 29; before it is a package).  Where Emacs has tree-sitter and the grammar `rubric' is installed, `rubric-ts-mode'
;; takes its place: colours and indentation by the syntax tree, and a menu of what is declared.

;;; Code:

(require 'eglot)

(defgroup rubric nil
  "Rubrics for judging text."
  :group 'languages)

(defcustom rubric-command '("rubric" "lsp")
  "The program that is the language server, and its arguments."
  :type '(repeat string))

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

(defun rubric-indent-line ()
  "Indent the line by two blanks for each bracket that is open before it."
  (interactive)
  (let* ((depth (save-excursion
                  (back-to-indentation)
                  (let ((open (car (syntax-ppss))))
                    (if (looking-at-p "[])}]") (1- open) open))))
         (inside-text (nth 3 (save-excursion (syntax-ppss (line-beginning-position))))))
    (unless inside-text
      (save-excursion (indent-line-to (* 2 (max 0 depth))))
      (when (< (current-column) (current-indentation))
        (back-to-indentation)))))

(defun rubric--set-up ()
  "What both modes share."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+\\s-*")
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 2)
  (if (executable-find (car rubric-command))
      (eglot-ensure)
    (message "`%s' was not found: install it, or set `rubric-command'" (car rubric-command))))

;;;###autoload
(define-derived-mode rubric-mode prog-mode "Rubric"
  "Rubrics for judging text."
  (setq-local font-lock-defaults `(((,rubric-mode-keywords . font-lock-keyword-face))))
  (setq-local indent-line-function #'rubric-indent-line)
  (rubric--set-up))

;; With tree-sitter (Emacs 29 and newer).

(declare-function treesit-ready-p "treesit")
(declare-function treesit-parser-create "treesit")
(declare-function treesit-font-lock-rules "treesit")
(declare-function treesit-major-mode-setup "treesit")
(declare-function treesit-node-child-by-field-name "treesit")
(declare-function treesit-node-text "treesit")
(defvar treesit-font-lock-settings)
(defvar treesit-font-lock-feature-list)
(defvar treesit-simple-imenu-settings)

(defconst rubric--folder (file-name-directory (or load-file-name buffer-file-name default-directory))
  "Where this file and its query are.")

(defun rubric--declared-name (node)
  "The name that NODE declares."
  (let ((name (treesit-node-child-by-field-name node "name")))
    (and name (treesit-node-text name t))))

;;;###autoload
(define-derived-mode rubric-ts-mode prog-mode "Rubric"
  "Rubrics for judging text, by their syntax tree."
  :syntax-table rubric-mode-syntax-table
  (unless (and (fboundp 'treesit-ready-p) (treesit-ready-p 'rubric))
    (user-error "The tree-sitter grammar `rubric' is not installed"))
  (treesit-parser-create 'rubric)
  (setq-local treesit-font-lock-settings
              (treesit-font-lock-rules
               :language 'rubric
               :feature 'all
               :override t
               (with-temp-buffer
                 (insert-file-contents (expand-file-name "rubric-highlights.scm" rubric--folder))
                 (buffer-string))))
  (setq-local treesit-font-lock-feature-list '((all)))
  (setq-local treesit-simple-imenu-settings
              '(("Criterion" "\\`criterion_declaration\\'" nil rubric--declared-name)
                ("Checklist" "\\`checklist_declaration\\'" nil rubric--declared-name)
                ("Node" "\\`node_declaration\\'" nil rubric--declared-name)
                ("Define" "\\`define_declaration\\'" nil rubric--declared-name)))
  (setq-local indent-line-function #'rubric-indent-line)
  (treesit-major-mode-setup)
  (rubric--set-up))

(defun rubric--mode ()
  "The better of the two modes that this Emacs can run."
  (if (and (fboundp 'treesit-ready-p) (treesit-ready-p 'rubric t))
      (rubric-ts-mode)
    (rubric-mode)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.rubric\\'" . rubric--mode))
(add-to-list 'eglot-server-programs '((rubric-mode rubric-ts-mode) . (lambda (&rest _) rubric-command)))

(provide 'rubric-mode)
;;; rubric-mode.el ends here
