;;; dump.el --- what colours a file has -*- lexical-binding: t -*-
;; emacs -Q --batch -L editors/emacs -l koru-mode -l dump.el FILE OUT
;; writes one line a run of equal colour: BYTES TAB CONTEXT FACE.
(let* ((args command-line-args-left) (out (nth 1 args)) (coding-system-for-write 'utf-8-unix)
       (coding-system-for-read 'utf-8-unix) lines)
  (setq command-line-args-left nil)
  (find-file (car args))
  (font-lock-ensure)
  (goto-char (point-min))
  (while (not (eobp))
    (let* ((beg (point))
           (end (min (next-single-property-change beg 'face nil (point-max))
                     (next-single-property-change beg 'koru-context nil (point-max)))))
      (push (format "%d\t%s %s" (string-bytes (buffer-substring-no-properties beg end))
                    (or (get-text-property beg 'koru-context) "") (or (get-text-property beg 'face) ""))
            lines)
      (goto-char end)))
  (with-temp-file out (insert (mapconcat #'identity (nreverse lines) "\n"))))
