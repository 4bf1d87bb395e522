;;; eglot.el --- Starts `rubric lsp' in Emacs and shows what is wrong with a file  -*- lexical-binding: t; -*-

;; For tests, and for any Emacs from 28 with eglot:
;; FILE=broken.rubric RUBRIC=target/debug/rubric emacs --batch -L editors/emacs -l tests/editors/eglot.el

;;; Code:

(require 'package)
(package-initialize)
(require 'rubric-mode)
(setq rubric-command (list (or (getenv "RUBRIC") "rubric") "lsp"))
(setq eglot-sync-connect 20)
(find-file (getenv "FILE"))
(message "MODE %s" major-mode)
;; A batch run has no idle time, in which eglot would start by itself.
(unless (eglot-managed-p)
  (apply #'eglot (eglot--guess-contact)))
(let ((end (+ (float-time) 20)))
  (while (and (< (float-time) end) (not (ignore-errors (flymake-diagnostics))))
    (accept-process-output nil 0.1)
    (ignore-errors (flymake-start))))
(dolist (found (flymake-diagnostics))
  (message "DIAGNOSTIC %s" (flymake-diagnostic-text found)))
(message "SYMBOLS %d" (length (jsonrpc-request (eglot--current-server-or-lose) :textDocument/documentSymbol
                                               (list :textDocument (eglot--TextDocumentIdentifier)))))
(font-lock-ensure)
(goto-char (point-min))
(search-forward "criterion")
(message "FACE %s" (get-text-property (1- (point)) 'face))
(erase-buffer)
(insert "criterion a: bool {\nask \"x\"\n}\n")
(indent-region (point-min) (point-max))
(let ((print-escape-newlines t))
  (message "INDENTED %S" (buffer-string)))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot--current-server-or-lose))
(kill-emacs 0)
;;; eglot.el ends here
