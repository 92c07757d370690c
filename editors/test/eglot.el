;;; eglot.el --- the session of a user in Emacs -*- lexical-binding: t -*-
;; By eglot, flymake and the commands that a user calls.  Each step says ok when
;; it is done; the first that fails ends Emacs.
(require 'eglot)
(require 'flymake)
(setq eglot-sync-connect t
      eglot-send-changes-idle-time 0
      flymake-no-changes-timeout 0.1)

(defun session-codes ()
  "The codes that flymake shows, sorted."
  (let (codes)
    (dolist (d (flymake-diagnostics))
      (if (string-match "KORU[0-9]+\\|PARSE[0-9]+" (flymake-diagnostic-text d))
          (push (match-string 0 (flymake-diagnostic-text d)) codes)
        (push (flymake-diagnostic-text d) codes)))
    (mapconcat #'identity (sort codes #'string<) " ")))

(defun session-until (what holds)
  "Wait until HOLDS; else fail, saying WHAT."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall holds)) (< (float-time) end))
      (eglot--signal-textDocument/didChange)
      (accept-process-output nil 0.05)
      (flymake-start))
    (unless (funcall holds)
      (error "%s; the codes are '%s', the text is\n%s" what (session-codes) (buffer-string)))))

(defmacro session-step (name &rest body)
  "Run BODY, the step NAME."
  (declare (indent 1))
  `(condition-case why
       (progn ,@body (princ (format "ok %s\n" ,name)))
     (error (message "not ok %s: %s" ,name (error-message-string why)) (kill-emacs 1))))

(defun session-type (text)
  "Enter TEXT as a user does: letter by letter, lines by the newline key."
  (dolist (c (append text nil))
    (if (eq c ?\n) (newline-and-indent)
      (setq last-command-event c)
      (self-insert-command 1)
      (when (memq c '(?} ?\) ?\])) (indent-according-to-mode)))))

(session-step "attach"
  (find-file "shop.k")
  (run-hooks 'post-command-hook)
  (unless (eglot-current-server) (error "no server"))
  (unless (eq major-mode 'koru-mode) (error "mode %s" major-mode))
  (session-until "the right program has faults" (lambda () (equal (session-codes) ""))))

(session-step "diagnostics while typing a scope"
  (goto-char (point-min))
  (re-search-forward "^greet.*$")
  (session-type "\n\nstd/runtime:register(scope: \"shop\") {\ngree(1)\n}\n")
  (session-until "the misspelt verb is not reported" (lambda () (equal (session-codes) "KORU040")))
  (unless (string-match-p "\n    gree(1)\n}\n" (buffer-string)) (error "indentation:\n%s" (buffer-string)))
  (search-backward "gree(")
  (forward-char 4)
  (session-type "t")
  (session-until "the mended verb is still reported" (lambda () (equal (session-codes) ""))))

(session-step "completion of an outcome"
  (goto-char (point-min))
  (re-search-forward "^| unknown.*$")
  (delete-region (match-beginning 0) (match-end 0))
  (session-type "| ")
  (session-until "an arm without a name is not reported" (lambda () (not (equal (session-codes) ""))))
  (let* ((capf (eglot-completion-at-point))
         (table (nth 2 capf))
         (sorted (completion-metadata-get (completion-metadata "" table nil) 'display-sort-function))
         (all (all-completions "" table))
         (first (car (if sorted (funcall sorted all) all))))
    (unless (string-match-p "^unknown" first) (error "first of %S" all))
    (insert first)
    (funcall (plist-get (nthcdr 3 capf) :exit-function) first 'finished)
    (unless (string-match-p "^| unknown |> ?$" (buffer-substring (line-beginning-position) (line-end-position)))
      (error "the line is '%s'" (buffer-substring (line-beginning-position) (line-end-position)))))
  (end-of-line)
  (session-type (if (eq (char-before) ?\s) "_" " _"))
  (session-until "the completed outcome is still reported" (lambda () (equal (session-codes) ""))))

(session-step "a fix applied"
  (goto-char (point-min))
  (re-search-forward "^| unknown.*\n?")
  (replace-match "")
  (session-until "the missing outcome is not reported" (lambda () (equal (session-codes) "KORU022")))
  (goto-char (point-min))
  (re-search-forward "^stock:")
  (let ((action (seq-find (lambda (a) (string-match-p "unknown" (plist-get a :title)))
                          (append (eglot-code-actions (line-beginning-position) (line-end-position)) nil))))
    (unless action (error "no action"))
    (eglot--apply-workspace-edit (plist-get action :edit)))
  (session-until "the fix changes nothing" (lambda () (equal (session-codes) "")))
  (unless (string-match-p "| unknown |>" (buffer-string)) (error "%s" (buffer-string))))

(session-step "rename across files"
  (goto-char (point-min))
  (search-forward "stock:find")
  (cl-letf (((symbol-function 'y-or-n-p) (lambda (&rest _) t))) ; it asks before it edits stock.k
    (eglot-rename "look-up"))
  (unless (string-match-p "stock:look-up(sku: \"A\")" (buffer-string)) (error "%s" (buffer-string)))
  (with-current-buffer (find-file-noselect "stock.k")
    (unless (string-match-p "pub tor look-up" (buffer-string)) (error "%s" (buffer-string)))
    (save-buffer))
  (session-until "the rename breaks something" (lambda () (equal (session-codes) ""))))

(session-step "format"
  (goto-char (point-min))
  (re-search-forward "^tor greet.*$")
  (insert "   ")
  (eglot-format-buffer)
  (unless (string-match-p "\ntor greet { name: string }\n" (buffer-string)) (error "%s" (buffer-string))))

(session-step "imenu"
  (let ((verbs (mapcar #'car (cdr (assoc "Verbs" (imenu--make-index-alist t))))))
    (unless (or (member "greet" verbs) (string-match-p "greet" (format "%S" (imenu--make-index-alist t))))
      (error "%S" (imenu--make-index-alist t)))))

(save-buffer)
(let ((kill-emacs-hook nil)) (eglot-shutdown (eglot-current-server)) (kill-emacs 0))
