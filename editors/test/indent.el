;;; indent.el --- types a text and writes what comes out -*- lexical-binding: t -*-
(find-file "typed.k")
(dolist (c (append (with-temp-buffer (insert-file-contents "text") (buffer-string)) nil))
  (if (eq c ?\n) (newline-and-indent)
    (insert c)
    (when (and (memq c '(?} ?\) ?\])) (save-excursion (backward-char) (skip-chars-backward " ") (bolp)))
      (indent-according-to-mode))))
(delete-trailing-whitespace)
(save-buffer)
