;;; koru-mode.el --- Major mode for Koru -*- lexical-binding: t -*-

;; License: MIT
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages
;; URL: https://github.com/koru-go/koru

;;; Commentary:

;; Colours, indentation, imenu and M-x compile for .k, .kz and .kjs files, and
;; the entries that make eglot and lsp-mode start `koru lsp'.
;;
;; A buffer is cut into contexts first: host text, the body of a proc, the prose
;; of an annotation, a block that the language does not read.  What follows
;; colours by context.  The words between marks are written from package syntax
;; by the test of editors/internal/words.

;;; Code:

(require 'seq)

(defgroup koru nil
  "The Koru language."
  :group 'languages)

(defcustom koru-command "koru"
  "The koru command: a name on the path, or a file."
  :type 'string)

(defcustom koru-indent-offset 4
  "How many columns a bracket indents."
  :type 'integer
  :safe #'integerp)

;;; Words

;; words: declarations
(defconst koru--declarations
  '("pub" "tor" "proc" "import"))
;; end words
;; words: flow-words
(defconst koru--flow-words
  '("when" "if" "else"))
;; end words
;; words: operator-words
(defconst koru--operator-words
  '("and" "or" "not" "orelse"))
;; end words
;; words: literals
(defconst koru--literals
  '("true" "false" "null"))
;; end words
;; words: control-verbs
(defconst koru--control-verbs
  '("if" "for" "while" "cond" "capture" "captured" "const"))
;; end words
;; words: types
(defconst koru--types
  '("string" "bool" "i8" "i16" "i32" "i64" "i128" "u8" "u16" "u32" "u64"
    "u128" "usize" "isize" "f32" "f64"))
;; end words
;; words: annotations
(defconst koru--annotations
  '("comptime" "runtime" "transform" "pre" "keyword" "norun" "abstract"
    "retain" "command" "pure" "with" "name" "depends_on" "build" "strict"
    "prototype" "aspirational" "mutable" "doc" "debug"))
;; end words
;; words: spoken
(defconst koru--spoken
  '("say" "note"))
;; end words
;; words: flow-operators
(defconst koru--flow-operators
  '("|>" "=>" "->" "?!" "|" "!" "?" "#" "@" "~"))
;; end words
;; words: operators
(defconst koru--operators
  '(".." "<=" ">=" "==" "!=" "++" "&&" "||" ".*" "=" "<" ">" "+" "-" "*" "/"
    "%" "&"))
;; end words
;; words: punctuation
(defconst koru--punctuation
  '(":" "," "." ";"))
;; end words
;; words: grant-verbs
(defconst koru--grant-verbs
  '("std/runtime:register"))
;; end words
;; words: const-verbs
(defconst koru--const-verbs
  '("const" "std/control:const"))
;; end words
;; words: column-verbs
(defconst koru--column-verbs
  '("std/grid:new" "std/store:new"))
;; end words
;; words: assign-verbs
(defconst koru--assign-verbs
  '("capture" "captured" "std/control:capture" "std/control:captured"
    "std/grid:stored" "std/store:insert" "std/store:stored"))
;; end words
;; words: template-verbs
(defconst koru--template-verbs
  '("std/fmt:blk" "std/io:print.blk"))
;; end words
;; words: test-verbs
(defconst koru--test-verbs
  '("std/testing:test"))
;; end words

;;; Faces

(defface koru-outcome '((t :inherit font-lock-constant-face)) "The name of an outcome.")
(defface koru-flow '((t :inherit font-lock-keyword-face)) "An operator of a flow: | ! |> => ->.")
(defface koru-operator '((t :inherit default)) "An operator of an expression.")
(defface koru-punctuation '((t :inherit default)) "A colon, a comma, a dot.")
(defface koru-number '((t :inherit font-lock-constant-face)) "A number.")
(defface koru-label '((t :inherit font-lock-constant-face)) "A label or a jump to it.")
(defface koru-field '((t :inherit font-lock-variable-name-face)) "The label of a field.")
(defface koru-state '((t :inherit font-lock-builtin-face)) "A state of a type.")
(defface koru-possession '((t :inherit font-lock-warning-face)) "The ! that mints or consumes a state.")
(defface koru-splice '((t :inherit font-lock-preprocessor-face)) "A splice {{ }} or a tag {% %}.")
(defface koru-splice-text '((t :inherit font-lock-variable-name-face)) "What stands in a splice.")
(defface koru-module '((t :inherit font-lock-constant-face)) "The path of a module.")

;;; Names

(eval-and-compile
  (defconst koru--name "[A-Za-z_]\\(?:[A-Za-z0-9_]\\|-[A-Za-z0-9_]\\)*")
  (defconst koru--dotted (concat koru--name "\\(?:\\." koru--name "\\)*"))
  (defconst koru--module (concat "[A-Za-z_][A-Za-z0-9_]*\\(?:/" koru--name "\\)*"))
  (defconst koru--verb (concat "\\(?:" koru--module ":\\)?" koru--dotted))
  (defconst koru--before "\\(?:^\\|[^A-Za-z0-9_.:/-]\\)"))

(defun koru--words (words)
  "A group that matches one of WORDS where a word stands alone."
  (concat koru--before (regexp-opt words t) "\\(?:[^A-Za-z0-9_.:-]\\|$\\)"))

;;; Contexts

(defvar koru-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?- "_" table)
    (modify-syntax-entry ?' "." table)
    (modify-syntax-entry ?` "." table)
    (dolist (c '(?| ?! ?< ?> ?= ?+ ?* ?% ?& ?~ ?@ ?# ??))
      (modify-syntax-entry c "." table))
    table))

(defvar-local koru--host nil
  "Whether lines without a ~ are host text.")

(defconst koru--proc
  (concat koru--before "proc[ \t]+" koru--verb "\\(\\(?:|[A-Za-z0-9_-]+\\)*\\)[ \t]*{"))

(defun koru--block-kind (head)
  "The context of a block whose text up to its brace is HEAD: nil if it is read."
  (cond
   ((string-match-p (concat koru--before (regexp-opt koru--template-verbs) "[ \t]*\\'") head) 'template)
   ((string-match-p (concat koru--before
                            (regexp-opt (append koru--grant-verbs koru--const-verbs koru--column-verbs
                                                koru--assign-verbs koru--test-verbs))
                            "[ \t]*\\(?:(.*)\\)?[ \t]*\\'")
                    head)
    nil)
   ((string-match-p ")[ \t]*\\'" head) 'opaque)
   ((string-match-p (concat "\\(?:\\`[ \t]*~?\\|\\][ \t]*\\||>[ \t]*\\|[^=<>!]=[ \t]+\\)" koru--verb
                            "\\(?:[ \t]*<[A-Za-z]+>\\)?[ \t]*\\'")
                    head)
    'opaque)))

(defun koru--mark (beg end context)
  "Give the text from BEG to END the context CONTEXT."
  (put-text-property beg end 'koru-context context))

(defun koru--plain (beg end)
  "Take the meaning of quotes and slashes from the text from BEG to END."
  (save-excursion
    (goto-char beg)
    (while (re-search-forward "[\"/]" end t)
      (put-text-property (1- (point)) (point) 'syntax-table '(1)))))

(defun koru--fence (beg end)
  "Make one string of the text from BEG to END."
  (when (> end (1+ beg))
    (koru--plain (1+ beg) (1- end))
    (save-excursion
      (goto-char beg)
      (while (re-search-forward "\n" (1- end) t)
        (put-text-property (1- (point)) (point) 'syntax-table '(1))))
    (put-text-property beg (1+ beg) 'syntax-table '(15))
    (put-text-property (1- end) end 'syntax-table '(15))))

(defconst koru--host-token
  (concat "\"\\(?:\\\\.\\|[^\"\\\\\n]\\)*\"?"    ; a string
          "\\|`\\(?:\\\\\\(?:.\\|\n\\)\\|[^`\\\\]\\)*`" ; a template literal
          "\\|'\\(?:\\\\.\\|[^'\\\\\n]\\)*'"      ; a character
          "\\|//.*$\\|\\\\\\\\.*$"                ; a comment, a line of Zig text
          "\\|[{}\n]"))

(defconst koru--regexp-literal
  "/\\(?:\\\\.\\|\\[\\(?:\\\\.\\|[^]\\\\\n]\\)*\\]\\|[^/*\\\\\n[]\\)\\(?:\\\\.\\|\\[\\(?:\\\\.\\|[^]\\\\\n]\\)*\\]\\|[^/\\\\\n[]\\)*/")

(defun koru--skip-host (end js stop)
  "Go over host text and set what its quotes mean, up to END.
JS says whether regular expressions are literals.  STOP is called with
the brace or newline just passed and says whether to stop there."
  (let (done)
    (while (and (not done)
                (re-search-forward (if js (concat koru--host-token "\\|" koru--regexp-literal) koru--host-token) end 'move))
      (let* ((beg (match-beginning 0)) (c (char-after beg)))
        (cond
         ((memq c '(?{ ?} ?\n)) (setq done (funcall stop c)))
         ((memq c '(?` ?')) (koru--fence beg (point)))
         ((eq c ?\\) (koru--plain beg (point)))
         ((eq c ?\")
          (unless (and (> (point) (1+ beg)) (eq (char-before) ?\"))
            (put-text-property beg (1+ beg) 'syntax-table '(1))))
         ((and (eq c ?/) (not (eq (char-after (1+ beg)) ?/)))
          (if (save-excursion (goto-char beg) (skip-chars-backward " \t")
                              (memq (char-before) '(?= ?\( ?, ?: ?! ?& ?| ?? ?{ ?} ?\; ?\n nil)))
              (koru--fence beg (point))
            (goto-char (1+ beg)))))))
    done))

(defconst koru--host-line "[ \t]*\\(?:[^~|! \t\n]\\|!=\\)"
  "How a host line starts: not with ~, and not like an arm or a step.")

(defun koru--propertize (start end)
  "Cut the text from START to END into contexts."
  (goto-char start)
  (remove-text-properties start end '(koru-context nil))
  (while (< (point) end)
    (beginning-of-line)
    (cond
     ((and koru--host (looking-at koru--host-line)) (koru--host-lines end))
     ((looking-at "[ \t]*~?\\[[ \t]*\\(?://.*\\)?$") (koru--annotation end))
     (t (koru--line)))
    (unless (eobp) (forward-line 1))))

(defun koru--host-lines (end)
  "Go over lines of the host language, up to the next ~ or END."
  (let ((beg (point)))
    (while (and (< (point) end)
                (koru--skip-host (point-max) t (lambda (c) (eq c ?\n)))
                (or (looking-at "[ \t]*$") (looking-at koru--host-line))))
    (koru--mark beg (point) 'host)
    (unless (eobp) (backward-char))))

(defun koru--annotation (_end)
  "Go over an annotation that stands on lines of its own."
  (forward-line 1)
  (while (not (or (eobp) (looking-at "[ \t]*\\]")))
    (unless (looking-at "[ \t]*\\(?:[-*+] \\|//\\)")
      (koru--mark (point) (line-end-position) 'prose)
      (koru--plain (point) (line-end-position)))
    (when (looking-at "[ \t]*[-*+] ")
      (koru--mark (point) (line-end-position) 'bullet))
    (forward-line 1))
  (koru--line))

(defun koru--line ()
  "Go over a line of Koru, and over the block that it opens, if any."
  (if (save-excursion (re-search-forward koru--proc (line-end-position) t))
      (koru--proc-body)
    (koru--strings (line-end-position))
    (let ((open (koru--open-brace)))
      (when open
        (let ((kind (koru--block-kind (buffer-substring-no-properties (line-beginning-position) open))))
          (when kind (koru--block open kind)))))
    (when koru--host (koru--open-lines))))

(defun koru--open-lines ()
  "Go over the lines below that a bracket of this line leaves open."
  (let ((depth 0))
    (while (and (> (setq depth (+ depth (koru--depth (line-end-position)))) 0)
                (zerop (forward-line 1))
                (not (eobp)))
      (koru--strings (line-end-position)))))

(defun koru--depth (end)
  "How many brackets open between here and END less how many close."
  (let ((depth 0))
    (beginning-of-line)
    (while (re-search-forward "\"\\(?:\\\\.\\|[^\"\\\n]\\)*\"\\|//.*\\|[][(){}]" end t)
      (cond ((get-text-property (match-beginning 0) 'koru-context))
            ((memq (char-after (match-beginning 0)) '(?\( ?\[ ?{)) (setq depth (1+ depth)))
            ((memq (char-after (match-beginning 0)) '(?\) ?\] ?})) (setq depth (1- depth)))))
    depth))

(defun koru--proc-body ()
  "Go over the body of a proc."
  (re-search-forward koru--proc (line-end-position))
  (let ((js (string-match-p "|js\\(?:|\\|\\'\\)" (match-string 1))) (depth 1) (beg (point)))
    (koru--skip-host (point-max) js
                     (lambda (c)
                       (cond ((eq c ?{) (setq depth (1+ depth)) nil)
                             ((eq c ?}) (zerop (setq depth (1- depth)))))))
    (koru--mark beg (if (eq (char-before) ?}) (1- (point)) (point)) 'body)))

(defvar-local koru--wire nil
  "Whether this is the wire dialect: texts run over lines, // is no comment.")

(defun koru--strings (end)
  "Set what quotes mean up to END: one that is not closed is no string."
  (save-excursion
    (while (and (not koru--wire) (re-search-forward "\"\\(?:\\\\.\\|[^\"\\\\\n]\\)*\\(\"\\)?\\|//\\|'\\(?:\\\\.[^'\n]*\\|[^'\\\\\n]\\)'\\|`[^`\n]*`" end t))
      (let ((beg (match-beginning 0)))
        (pcase (char-after beg)
          (?/ (goto-char end))
          ((or ?' ?`) (koru--fence beg (point)))
          (_ (unless (match-beginning 1)
               (put-text-property beg (1+ beg) 'syntax-table '(1)))))))))

(defun koru--open-brace ()
  "The place of the last brace of this line that opens a block on it, or nil."
  (save-excursion
    (let ((end (line-end-position)) open)
      (beginning-of-line)
      (while (and (not open) (re-search-forward "\"\\(?:\\\\.\\|[^\"\\\\\n]\\)*\"\\|//.*\\|{" end t))
        (when (and (eq (char-before) ?{)
                   (eq (match-beginning 0) (1- (point)))
                   (koru--block-kind (buffer-substring-no-properties (line-beginning-position) (1- (point)))))
          (setq open (1- (point)))))
      open)))

(defun koru--block (open kind)
  "Go over the block of the given KIND that the brace at OPEN begins."
  (goto-char (1+ open))
  (let ((depth 1) (beg (point)))
    (while (and (> depth 0) (re-search-forward "\"\\(?:\\\\.\\|[^\"\\\\\n]\\)*\"\\|[{}\"/]" nil 'move))
      (pcase (char-before)
        (?{ (setq depth (1+ depth)))
        (?} (setq depth (1- depth)))
        (_ (when (= (- (point) (match-beginning 0)) 1)
             (put-text-property (1- (point)) (point) 'syntax-table '(1))))))
    (koru--mark beg (if (zerop depth) (1- (point)) (point)) kind)))

(defun koru--extend (start end)
  "Widen the region from START to END to whole items."
  (save-excursion
    (goto-char start)
    (beginning-of-line)
    (while (not (or (bobp)
                    (and (looking-at "[A-Za-z~]")
                         (not (get-text-property (point) 'koru-context))
                         (not (get-text-property (1- (point)) 'koru-context)))))
      (forward-line -1))
    (unless (= (point) start) (cons (point) end))))

;;; Colours

(defun koru--match (regexp contexts)
  "A matcher of REGEXP where the context is one of CONTEXTS and no text is.
The first group that matched says where.  What a match has behind its
groups may be the start of the next one."
  (lambda (limit)
    (let (found)
      (while (and (not found) (re-search-forward regexp limit t))
        (let ((at (or (match-beginning 1) (match-beginning 0))))
          (if (and (memq (get-text-property at 'koru-context) contexts)
                   (not (save-match-data (save-excursion (nth 8 (syntax-ppss at))))))
              (setq found (goto-char (apply #'max (delq nil (mapcar #'match-end (number-sequence 1 4))))))
            (goto-char (max (1+ (match-beginning 0)) (min (point) (1+ at)))))))
      found)))

(defun koru--rule (regexp &rest faces)
  "A font-lock rule: the groups of REGEXP in Koru text have FACES."
  (cons (koru--match regexp '(nil))
        (seq-map-indexed (lambda (face i) `(,(1+ i) ',face nil t)) faces)))

(defun koru--context (context face)
  "A font-lock rule: all text of CONTEXT has FACE."
  (list (lambda (limit)
          (let ((beg (point)) found)
            (while (and (not found) (< beg limit))
              (let ((end (next-single-property-change beg 'koru-context nil limit)))
                (when (eq (get-text-property beg 'koru-context) context)
                  (set-match-data (list beg end))
                  (goto-char end)
                  (setq found t))
                (setq beg end)))
            found))
        0 `',face t))

(defun koru--splices (limit)
  "Find the next splice before LIMIT: mark, expression, spec, mark."
  (let (found)
    (while (and (not found)
                (re-search-forward "\\({{\\)\\([^{}\n]*?\\)\\(?::[ \t]*\\([a-z]+\\)[ \t]*\\)?\\(}}\\)" limit t))
      (let ((at (match-beginning 0)))
        (setq found (or (memq (get-text-property at 'koru-context) '(template opaque))
                        (and (null (get-text-property at 'koru-context))
                             (save-match-data (save-excursion (nth 3 (syntax-ppss at)))))))))
    found))

(defun koru--splice-numbers (limit)
  "Find the next number in a splice before LIMIT."
  (let (found)
    (while (and (not found) (re-search-forward "\\_<[0-9][0-9_.]*\\_>" limit t))
      (setq found (eq (get-text-property (match-beginning 0) 'face) 'koru-splice-text)))
    found))

(defun koru--marks (limit)
  "Find the next ! of a state before LIMIT."
  (let (found)
    (while (and (not found) (search-forward "!" limit t))
      (setq found (eq (get-text-property (1- (point)) 'face) 'koru-state)))
    found))

(defconst koru--font-lock
  (list
   (koru--context 'prose 'font-lock-doc-face)
   (koru--context 'template 'font-lock-string-face)
   '(koru--splices (1 'koru-splice t) (2 'koru-splice-text t t) (3 'font-lock-type-face t t) (4 'koru-splice t))
   '(koru--splice-numbers (0 'koru-number t))
   '("{%.*?%}" (0 (and (memq (get-text-property (match-beginning 0) 'koru-context) '(template opaque)) 'koru-splice) t))
   ;; annotations
   (cons (koru--match (koru--words koru--annotations) '(bullet)) '((1 'font-lock-preprocessor-face)))
   (cons (koru--match (concat "^[ \t]*[-*+] \\(" koru--name "\\)") '(bullet)) '((1 'font-lock-preprocessor-face)))
   (koru--rule "\\(?:^[ \t]*~?\\||>[ \t]*\\)\\(\\[[^]\n]*\\]\\)" 'font-lock-preprocessor-face)
   (koru--rule (concat "[A-Za-z0-9_}]\\(\\[" (regexp-opt koru--annotations) "\\(?:|[A-Za-z!]+\\)*\\]\\)") 'font-lock-preprocessor-face)
   (koru--rule "\\(\\[[A-Za-z_]+\\]\\)[A-Za-z_]" 'font-lock-preprocessor-face)
   ;; declarations
   (koru--rule (concat koru--before "\\(import\\)[ \t]+\\(" koru--module "\\)") 'font-lock-keyword-face 'koru-module)
   (koru--rule (concat koru--before "\\(?:\\(pub\\)[ \t]+\\)?\\(tor\\)[ \t]+\\(" koru--dotted "\\)")
               'font-lock-keyword-face 'font-lock-keyword-face 'font-lock-function-name-face)
   (koru--rule (concat koru--before "\\(proc\\)[ \t]+\\(" koru--verb "\\)\\(\\(?:|[A-Za-z0-9_-]+\\)*\\)")
               'font-lock-keyword-face 'font-lock-function-name-face 'font-lock-type-face)
   (koru--rule (koru--words koru--declarations) 'font-lock-keyword-face)
   (koru--rule (concat "^[ \t]*~?\\(" koru--verb "\\)\\(\\(?:|[A-Za-z0-9_-]+\\)?\\)[ \t]*\\(=>\\|=\\(?:[ \t]\\|$\\)\\|->\\)")
               'font-lock-function-name-face 'font-lock-type-face 'koru-flow)
   ;; arms and outcomes
   (koru--rule "^[ \t]*\\(|\\?\\|!\\?\\)[ \t]+\\([A-Z][A-Za-z]*\\)[ \t]+\\([a-z_][A-Za-z0-9_]*\\)"
               'koru-flow 'font-lock-type-face 'font-lock-variable-name-face)
   (koru--rule (concat "^[ \t]*\\([|!]\\)[ \t]*\\(\\?!?\\)?\\(" koru--name "\\)[ \t]+\\("
                       "[a-z_][A-Za-z0-9_]*\\)[ \t]*\\(?:\\[[^]\n]*\\][ \t]*\\)?\\(?:|>\\|=>\\|->\\|when\\_>\\|$\\|//\\)")
               'koru-flow 'koru-flow 'koru-outcome 'font-lock-variable-name-face)
   (koru--rule (concat "^[ \t]*\\([|!]\\)[ \t]*\\(\\?!?\\)?\\(" koru--name "\\)") 'koru-flow 'koru-flow 'koru-outcome)
   (koru--rule "^[ \t]*\\([|!]\\)[ \t]*\\(\\?!?\\)?\\(\\[[^]\n]*\\]\\)" 'koru-flow 'koru-flow 'font-lock-string-face)
   (koru--rule (concat "\\(=>\\)[ \t]*\\(" koru--name "\\)?") 'koru-flow 'koru-outcome)
   (koru--rule "[)}][ \t]*:[ \t]*\\([A-Za-z_][A-Za-z0-9_]*\\)" 'font-lock-variable-name-face)
   (koru--rule (concat "\\(|>\\)[ \t]*\\(@" koru--name "\\)") 'koru-flow 'koru-label)
   (koru--rule (concat "\\(#" koru--name "\\)") 'koru-label)
   ;; possession
   (koru--rule "[A-Za-z0-9_]\\(<[A-Za-z0-9_!|/:.'-]+>\\)" 'koru-state)
   '(koru--marks (0 'koru-possession t))
   ;; verbs, fields, types
   (koru--rule (concat koru--before "\\(" (regexp-opt koru--control-verbs) "\\)[ \t]*[({]") 'font-lock-keyword-face)
   (koru--rule "^[ \t]*~?\\(const\\)[ \t]+[A-Za-z_]" 'font-lock-keyword-face)
   (koru--rule (concat koru--before "\\(" koru--module "\\):\\([A-Z][A-Za-z0-9_]*\\)") 'koru-module 'font-lock-type-face)
   (koru--rule (concat koru--before "\\(" koru--module "\\):\\(" koru--dotted "\\)") 'koru-module 'font-lock-function-name-face)
   (koru--rule (concat koru--before "\\(" koru--dotted "\\)(") 'font-lock-function-name-face)
   (koru--rule (concat "|>[ \t]*\\(" koru--dotted "\\)[ \t]*\\(?:$\\||\\|[-=]>\\|[:{]\\)") 'font-lock-function-name-face)
   (koru--rule "\\([A-Za-z_][A-Za-z0-9_]*\\):\\(?:[ \t0-9\"'([{-]\\|$\\)" 'koru-field)
   (koru--rule (koru--words koru--types) 'font-lock-type-face)
   (koru--rule (concat "\\[" (regexp-opt koru--types t) "\\]") 'font-lock-type-face)
   (koru--rule "\\_<\\([A-Z][A-Z0-9_]+\\)\\_>" 'font-lock-constant-face)
   (koru--rule "\\_<\\([A-Z][A-Za-z0-9_]*\\)" 'font-lock-type-face)
   ;; expressions
   (koru--rule (koru--words koru--literals) 'font-lock-constant-face)
   (koru--rule (koru--words koru--flow-words) 'font-lock-keyword-face)
   (koru--rule (koru--words koru--operator-words) 'font-lock-keyword-face)
   (koru--rule "\\(@[A-Za-z]+\\)(" 'font-lock-builtin-face)
   (koru--rule "\\(?:^\\|[^A-Za-z0-9_.]\\|\\.\\.\\)\\(0[xX][0-9A-Fa-f_]+\\|[0-9][0-9_]*\\(?:\\.[0-9][0-9_]*\\)?\\(?:[eE][+-]?[0-9]+\\)?\\)" 'koru-number)
   (koru--rule (concat "\\(" (mapconcat #'regexp-quote (seq-filter (lambda (w) (> (length w) 1)) koru--flow-operators) "\\|") "\\)") 'koru-flow)
   (koru--rule (concat "\\(" (mapconcat #'regexp-quote (seq-filter (lambda (w) (> (length w) 1)) koru--operators) "\\|") "\\)") 'koru-operator)
   (koru--rule (concat "\\(" (mapconcat #'regexp-quote (append koru--flow-operators nil) "\\|") "\\)") 'koru-flow)
   (koru--rule (concat "\\(" (mapconcat #'regexp-quote koru--operators "\\|") "\\)") 'koru-operator)
   (koru--rule (concat "\\(" (mapconcat #'regexp-quote koru--punctuation "\\|") "\\)") 'koru-punctuation))
  "What is coloured, first come, first served.")

;;; Indentation

(defun koru--above ()
  "Go to the line above that has text.  Nil if there is none."
  (let (found)
    (while (and (not found) (zerop (forward-line -1)))
      (setq found (not (looking-at "[ \t]*$"))))
    found))

(defun koru--opened ()
  "Whether a bracket of this line is open at its end."
  (let ((depth 0) (end (line-end-position)))
    (save-excursion
      (beginning-of-line)
      (while (re-search-forward "[][(){}]" end t)
        (unless (nth 8 (save-excursion (syntax-ppss (1- (point)))))
          (setq depth (if (memq (char-before) '(?\( ?\[ ?{)) (1+ depth) (max 0 (1- depth)))))))
    (> depth 0)))

(defun koru-indentation ()
  "The column at which this line starts, if it is for us to say.
Only brackets indent.  An arm or a |> starts where the line above starts,
unless its author moved it; a line after a blank one starts where its
block does."
  (save-excursion
    (beginning-of-line)
    (let ((closes (looking-at "[ \t]*[])}]"))
          (blank (save-excursion (and (zerop (forward-line -1)) (looking-at "[ \t]*$"))))
          (open (nth 1 (syntax-ppss))))
      (cond
       (closes (if open (progn (goto-char open) (current-indentation)) 0))
       (blank (if open (progn (goto-char open) (+ (current-indentation) koru-indent-offset)) 0))
       ((koru--above)
        (+ (current-indentation) (if (koru--opened) koru-indent-offset 0)))
       (t 0)))))

(defun koru-indent-line ()
  "Indent this line; on a line that is indented already, go one step further.
A step is `koru-indent-offset' columns, so that tab moves an arm under its call."
  (interactive)
  (let ((column (koru-indentation)) (here (current-indentation)))
    (when (and (eq this-command last-command) (eq this-command 'indent-for-tab-command)
               (save-excursion (beginning-of-line) (looking-at "[ \t]*\\(?:[|!]\\|$\\)")))
      (setq column (if (> here (+ column koru-indent-offset)) 0 (+ here koru-indent-offset))))
    (if (<= (current-column) here)
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;; Modes

(defvar koru-imenu
  `(("Verbs" ,(concat "^[ \t]*~?\\(?:\\[[^]\n]*\\][ \t]*\\)?\\(?:pub[ \t]+\\)?tor[ \t]+\\(" koru--dotted "\\)") 1)
    ("Bodies" ,(concat "^[ \t]*~?proc[ \t]+\\(" koru--verb "\\)") 1)
    ("Scopes" "register(scope:[ \t]*\"\\([^\"\n]+\\)\"" 1)
    ("Tests" "testing:test(\"?\\([^\"\n)]+\\)" 1))
  "What imenu lists.")

(defvar koru-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'koru-check)
    (define-key map (kbd "C-c C-r") #'koru-run)
    map)
  "Keys of `koru-mode'.")

(defun koru-check ()
  "Check the project, and list what is wrong."
  (interactive)
  (compile (concat (shell-quote-argument koru-command) " check --no-color")))

(defun koru-run ()
  "Run the program of this buffer."
  (interactive)
  (compile (concat (shell-quote-argument koru-command) " run " (shell-quote-argument (buffer-file-name)))))

;;;###autoload
(define-derived-mode koru-mode prog-mode "Koru"
  "Major mode for Koru programs."
  (setq koru--host (and buffer-file-name
                        (member (file-name-extension buffer-file-name) '("kz" "kjs"))
                        t))
  (setq-local comment-start "// "
              comment-start-skip "//+[ \t]*"
              comment-end ""
              indent-line-function #'koru-indent-line
              indent-tabs-mode nil
              parse-sexp-lookup-properties t
              syntax-propertize-function #'koru--propertize
              imenu-generic-expression koru-imenu
              font-lock-multiline t
              font-lock-defaults '(koru--font-lock))
  (add-hook 'syntax-propertize-extend-region-functions #'koru--extend nil t))

;;;###autoload
(define-derived-mode koru-wire-mode koru-mode "Koru wire"
  "Major mode for replies and for the definitions of a world."
  (setq-local comment-start nil)
  (setq koru--wire t)
  (modify-syntax-entry ?/ "." (setq koru-wire-mode-syntax-table (copy-syntax-table koru-mode-syntax-table)))
  (set-syntax-table koru-wire-mode-syntax-table)
  (font-lock-add-keywords
   nil
   (list (list (concat "^" (regexp-opt koru--spoken t) "\\(:\\)\\(.*\\)$")
               '(1 'font-lock-keyword-face t) '(2 'koru-punctuation t) '(3 'font-lock-string-face t))
         '("\\_<\\(r[0-9]+\\)\\_>" 1 'font-lock-variable-name-face)
         (list (concat "\\(|\\)[ \t]*\\(\\?!?\\)?\\(" koru--name "\\)\\(?:[ \t]+\\([a-z_]+\\)\\)?[ \t]*|>")
               '(1 'koru-flow t) '(2 'koru-flow t t) '(3 'koru-outcome t) '(4 'font-lock-variable-name-face t t)))))

;;;###autoload
(progn
  (add-to-list 'auto-mode-alist '("\\.\\(?:k\\|kz\\|kjs\\)\\'" . koru-mode))
  (add-to-list 'auto-mode-alist '("/world/[^/]+\\.k\\'\\|\\.koru-wire\\'" . koru-wire-mode)))

;;; The language server, and compilation

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `((koru-mode koru-wire-mode) . (,koru-command "lsp"))))

(defvar lsp-language-id-configuration)
(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(koru-mode . "koru"))
  (add-to-list 'lsp-language-id-configuration '(koru-wire-mode . "koru-wire"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () (list koru-command "lsp")))
                    :major-modes '(koru-mode koru-wire-mode)
                    :server-id 'koru)))

(defvar compilation-error-regexp-alist)
(defvar compilation-error-regexp-alist-alist)
(with-eval-after-load 'compile
  (add-to-list 'compilation-error-regexp-alist-alist
               '(koru "^ *--> \\(.*\\):\\([0-9]+\\):\\([0-9]+\\)$" 1 2 3))
  (add-to-list 'compilation-error-regexp-alist 'koru))

(provide 'koru-mode)
;;; koru-mode.el ends here
