" Koru. The words between marks are written from package syntax by the test of
" editors/internal/words.
if exists('b:current_syntax')
  finish
endif
let s:cpo = &cpo
set cpo&vim

syntax case match
syntax iskeyword @,48-57,_
syntax sync minlines=200

" words: declarations
let s:declarations = '%(pub|tor|proc|import)'
" end words
" words: flow-words
let s:flow_words = '%(when|if|else)'
" end words
" words: operator-words
let s:operator_words = '%(and|or|not|orelse)'
" end words
" words: literals
let s:literals = '%(true|false|null)'
" end words
" words: control-verbs
let s:control_verbs = '%(if|for|while|cond|capture|captured|const)'
" end words
" words: types
let s:types = '%(string|bool|i8|i16|i32|i64|i128|u8|u16|u32|u64|u128|usize|isize|f32|f64)'
" end words
" words: annotations
let s:annotations = '%(comptime|runtime|transform|pre|keyword|norun|abstract|retain|command|pure|with|name|depends_on|build|strict|prototype|aspirational|mutable|doc|debug)'
" end words
" The wire's own syntax file reads this one.
" words: spoken
let s:spoken = '%(say|note)'
" end words
" words: flow-operators
let s:flow_operators = '%(\|\>|\=\>|\-\>|\?\!|\||\!|\?|\#|\@|\~)'
" end words
" words: operators
let s:operators = '%(\.\.|\<\=|\>\=|\=\=|\!\=|\+\+|\&\&|\|\||\.\*|\=|\<|\>|\+|\-|\*|\/|\%|\&)'
" end words
" words: punctuation
let s:punctuation = '%(:|\,|\.|\;)'
" end words
" words: grant-verbs
let s:grant_verbs = '%(std\/runtime:register)'
" end words
" words: const-verbs
let s:const_verbs = '%(const|std\/control:const)'
" end words
" words: column-verbs
let s:column_verbs = '%(std\/grid:new|std\/store:new)'
" end words
" words: assign-verbs
let s:assign_verbs = '%(capture|captured|std\/control:capture|std\/control:captured|std\/grid:stored|std\/store:insert|std\/store:stored)'
" end words
" words: template-verbs
let s:template_verbs = '%(std\/fmt:blk|std\/io:print\.blk)'
" end words
" words: test-verbs
let s:test_verbs = '%(std\/testing:test)'
" end words

let g:koru_spoken = s:spoken

let s:name = '[A-Za-z_]%(\w|-\w@=)*'
let s:dotted = s:name . '%(\.' . s:name . ')*'
let s:module = '[A-Za-z_]\w*%(/' . s:name . ')*'
let s:before = '%(^|[^A-Za-z0-9_.:/-])@1<='

function! s:Match(group, pattern, ...) abort
  execute 'syntax match' a:group '"\v' . escape(a:pattern, '"') . '"' join(a:000)
endfunction

" The weakest rule first: where two start at one place, the last one wins.
call s:Match('koruPunctuation', s:punctuation, 'display')
call s:Match('koruOperator', s:operators, 'display')
call s:Match('koruFlowOperator', s:flow_operators, 'display')
call s:Match('koruOperator', '!\=|\|\||\.\.', 'display')
call s:Match('koruName', '[A-Za-z_]\w*', 'display')
call s:Match('koruType', '<[A-Z]\w*', 'display')
call s:Match('koruConstant', '<[A-Z][A-Z0-9_]+>', 'display')
call s:Match('koruNumber', '<\d[0-9_]*%(\.\d[0-9_]*)?%([eE][+-]?\d+)?|<0[xX][0-9A-Fa-f_]+', 'display')
call s:Match('koruType', s:before . s:types . '[A-Za-z0-9_(:-]@!', 'display')
call s:Match('koruLiteral', s:before . s:literals . '[A-Za-z0-9_-]@!', 'display')
call s:Match('koruOperatorWord', s:before . s:operator_words . '[A-Za-z0-9_:.-]@!', 'display')
call s:Match('koruConditional', s:before . s:flow_words . '[A-Za-z0-9_:.-]@!', 'display')

" What a bracket holds may run over lines, and none of them is a host line.
syntax region koruParens start=+(+ end=+)+ transparent contains=TOP,koruHost
syntax region koruShape start=+{+ end=+}+ transparent contains=TOP,koruHost

" Verbs and fields.
call s:Match('koruVerb', s:before . s:dotted . '%(\s*\()@=', 'display')
call s:Match('koruVerb', '%(\|\>\s*)@5<=' . s:dotted . '%(\s*$|\s*[|:{]|\s*[-=]\>|\s*//)@=', 'display')
call s:Match('koruModule', s:before . s:module . ':[A-Za-z_]@=', 'display', 'nextgroup=koruQualified')
call s:Match('koruQualified', s:dotted, 'contained', 'display')
call s:Match('koruControl', s:before . s:control_verbs . '%(\s*[({])@=', 'display')
call s:Match('koruControl', '%(^\s*\~?)@50<=const%(\s+\w+\s*[:=])@=', 'display')
call s:Match('koruField', '[A-Za-z0-9_.]@1<![A-Za-z_]\w*:%([ \t0-9"''([{-]|$)@=', 'display', 'contains=koruPunctuation')
call s:Match('koruBuiltin', '\@\w+\(@=', 'display')
call s:Match('koruLabel', '#' . s:name, 'display')
call s:Match('koruLabel', '%(\|\>\s*)@5<=\@' . s:name, 'display')
call s:Match('koruBinding', '%([)}]\s*:\s*)@20<=[a-z_]\w*', 'display')
call s:Match('koruDiscard', '%(\|\>\s*)@5<=_>', 'display')

" Possession: string<!open>.
call s:Match('koruPhantom', '[A-Za-z0-9_\]]@1<=\<%(\w+'')?!?[A-Za-z_][A-Za-z0-9_/:.|!-]*\>', 'display', 'contains=koruState,koruPossession')
call s:Match('koruState', s:name, 'contained', 'display')
call s:Match('koruPossession', '!', 'contained', 'display')

" Outcomes: arms and constructors.
call s:Match('koruOutcome', '%(\=\>\s*)@5<=' . s:name, 'display')
call s:Match('koruArm', '^\s*[|!]\s*%(\?!?)?\ze\s*%(' . s:name . '|`|\[)', 'display', 'skipwhite', 'nextgroup=koruArmName,koruRawName')
call s:Match('koruArm', '^\s*[|!]\?\ze\s+%(\|\>|[A-Z])', 'display', 'skipwhite', 'nextgroup=koruMetatype')
call s:Match('koruMetatype', '[A-Z]\w*', 'contained', 'display', 'skipwhite', 'nextgroup=koruArmBinding')
call s:Match('koruArmName', s:name, 'contained', 'display', 'skipwhite', 'nextgroup=koruArmBinding')
call s:Match('koruArmBinding', '%(when>|' . s:types . '>)@![a-z_]\w*\ze\s*%(\[[^\]]*\]\s*)?%(\|\>|\=\>|-\>|when>|$|//)', 'contained', 'display')
call s:Match('koruRawName', '`[^`]*`|\[[^\]]*\]', 'contained', 'display', 'skipwhite', 'nextgroup=koruArmBinding')

" Declarations.
call s:Match('koruDeclaration', s:before . s:declarations . '\s@=', 'display')
call s:Match('koruTor', '%(<tor\s+)@9<=' . s:dotted, 'display')
call s:Match('koruTor', '%(^\s*\~?)@50<=%(' . s:module . ':)?' . s:dotted . '%(\|' . s:name . ')?%(\s*%(\=[^=]|\=$|-\>))@=', 'display')
call s:Match('koruImport', '%(<import\s+)@15<=' . s:module, 'display')
call s:Match('koruTilde', '^\s*\~', 'display')

" Text.
syntax match koruEscape +\\\(x\x\x\|u\x\{4}\|.\)+ contained
syntax region koruString start=+"+ skip=+\\.+ end=+"+ end=+$+ oneline contains=koruEscape,koruSplice
syntax match koruCharacter +'\(\\.[^']*\|[^'\\]\)'+
syntax region koruSplice matchgroup=koruSpliceMark start=+{{+ end=+}}+ end=+\ze"+ oneline contained contains=koruSpec,koruNumber,koruOperator,koruName
syntax match koruSpec ":\s*\w\+\ze\s*}}" contained
syntax match koruTag +{%.\{-}%}+ contained
syntax match koruComment +//.*$+ contains=@Spell

" Blocks that the language does not read.
syntax region koruOpaque matchgroup=koruBrace start=+)\@1<=\s*{+ end=+}+ contains=koruInner,koruSplice,koruString,koruTag
call s:Match('koruOpaqueHead', '%(^\s*\~?|\|\>\s*|\=\s+|\]\s*)@50<=%(' . s:module . ':)?' . s:dotted . '%(\s*\<\w+\>)?%(\s*\{)@=', 'skipwhite', 'nextgroup=koruOpaqueBody', 'contains=koruModule,koruQualified')
syntax region koruOpaqueBody matchgroup=koruBrace start=+{+ end=+}+ contained contains=koruInner,koruSplice,koruString,koruTag
syntax region koruInner start=+{\([{%]\)\@!+ end=+}+ contained contains=koruInner,koruSplice,koruString,koruTag

" Blocks that it reads. The head runs to the brace that opens the block.
function! s:Block(verbs, group, contains) abort
  execute 'syntax region' a:group . 'Head start="\v' . s:before . '%(' . a:verbs . '\_s*[({])@=" end="\v\{@=" end="$" keepend oneline'
        \ 'contains=koruModule,koruQualified,koruControl,koruArguments nextgroup=' . a:group
  execute 'syntax region' a:group 'matchgroup=koruBrace start="{" end="}" contained contains=' . a:contains
endfunction
syntax region koruArguments start=+(+ end=+)+ contained contains=koruString,koruField,koruNumber,koruName,koruArguments
call s:Block(s:grant_verbs, 'koruGrants', 'koruComment,koruGrant,koruModuleDots,koruInclude,koruNumber,koruFlowOperator,koruInline')
call s:Block('%(' . s:const_verbs . '|' . s:column_verbs . '|' . s:assign_verbs . ')', 'koruEntries',
      \ 'koruComment,koruEntry,koruField,koruString,koruCharacter,koruNumber,koruType,koruLiteral,koruPhantom,koruOperator,koruOperatorWord,koruConditional,koruName,koruBraces,koruModule')
call s:Block(s:template_verbs, 'koruTemplate', 'koruTemplateText,koruSplice,koruTag,koruInner')
call s:Block(s:test_verbs, 'koruTest', 'TOP')
call s:Match('koruGrant', s:dotted, 'contained', 'display')
call s:Match('koruModuleDots', '[A-Za-z_][A-Za-z0-9_./-]*%(:|\.\*)', 'contained', 'display')
call s:Match('koruInclude', '<scope\(@=', 'contained', 'display')
call s:Match('koruEntry', '[A-Za-z0-9_.]@1<![A-Za-z_][A-Za-z0-9_.]*:%([ \t0-9"''([{-]|$)@=', 'contained', 'display')
syntax match koruTemplateText "[^{}]\+" contained
syntax region koruBraces start=+{+ end=+}+ contained contains=koruBraces,koruField,koruString,koruNumber,koruType,koruName

" Annotations, in a line or over several.
call s:Match('koruAnnotation', s:before . s:annotations . '[A-Za-z0-9_-]@!', 'contained', 'display')
syntax match koruProse +^\s*\([-*+]\s\|]\|//\)\@!\S.*$+ contained
syntax match koruBullet +^\s*[-*+]\s.*$+ contained contains=koruAnnotation,koruString
syntax region koruVertical matchgroup=koruBrace start=+^\s*\~\?\[\s*\(//.*\)\?$+ end=+]+ contains=koruProse,koruBullet,koruComment
syntax region koruInline matchgroup=koruBrace start=+\(^\s*\~\?\)\@50<=\[\(.*]\)\@=+ start=+\(|>\s*\)\@9<=\[\(.*]\)\@=+ end=+]+ oneline contains=koruAnnotation,koruString
call s:Match('koruSuffix', '[A-Za-z0-9_}]@1<=\[' . s:annotations . '%(\|\w+)*\]', 'contains=koruAnnotation')

" Bodies in other languages. Zig comes with Vim, JavaScript too; both are read
" between the braces only, which koruHostBraces keeps in balance.
function! s:Host(group, file) abort
  let saved = get(b:, 'current_syntax', '')
  unlet! b:current_syntax
  silent! execute 'syntax include @' . a:group a:file
  unlet! b:current_syntax
  setlocal iskeyword<
endfunction
call s:Host('koruJS', 'syntax/javascript.vim')
call s:Host('koruZig', 'syntax/zig.vim')
" Braces of their own would hide the end of a body.
silent! syntax clear javaScriptBraces
silent! syntax clear zigBlock
syntax case match
syntax iskeyword @,48-57,_

syntax match koruHostComment +//.*$+ contained
syntax region koruHostString start=+"+ skip=+\\.+ end=+"+ end=+$+ oneline contained
syntax region koruHostString start=+`+ skip=+\\.+ end=+`+ contained
syntax match koruHostString +'\(\\.\|[^'\\]\)*'+ contained
syntax match koruHostString +\\\\.*$+ contained
syntax match koruHostRegexp "\([=(,:!&|?{};]\s*\)\@9<=/[/*]\@!\(\\.\|\[\(\\.\|[^]\\]\)*]\|[^/\\[]\)\+/[a-z]*" contained
syntax region koruHostBraces matchgroup=koruBrace start=+{+ end=+}+ contained transparent contains=@koruZig,koruHostBraces,koruHostComment,koruHostString
syntax region koruHostBracesJS matchgroup=koruBrace start=+{+ end=+}+ contained transparent contains=@koruJS,koruHostBracesJS,koruHostComment,koruHostString,koruHostRegexp
call s:Match('koruProcHead', s:before . 'proc\s+%(' . s:module . ':)?' . s:dotted . '%(\|[A-Za-z0-9_-]+)*\|js%(\|[A-Za-z0-9_-]+)*%(\s*\{)@=', 'skipwhite', 'nextgroup=koruBodyJS', 'contains=koruDeclaration,koruProcName,koruTarget')
call s:Match('koruProcHead', s:before . 'proc\s+%(' . s:module . ':)?' . s:dotted . '%(\|%(js>)@![A-Za-z0-9_-]+)*%(\s*\{)@=', 'skipwhite', 'nextgroup=koruBody', 'contains=koruDeclaration,koruProcName,koruTarget')
call s:Match('koruProcName', '%(<proc\s+)@9<=%(' . s:module . ':)?' . s:dotted, 'contained', 'display')
call s:Match('koruTarget', '\|[A-Za-z0-9_-]+', 'contained', 'display')
syntax region koruBodyJS matchgroup=koruBrace start=+{+ end=+}+ contained contains=@koruJS,koruHostBracesJS,koruHostComment,koruHostString,koruHostRegexp
syntax region koruBody matchgroup=koruBrace start=+{+ end=+}+ contained contains=@koruZig,koruHostBraces,koruHostComment,koruHostString

" Host lines: in .kz and .kjs every line is one that no ~ switches to Koru.
let s:host = {'kz': 'koruZig', 'kjs': 'koruJS'}
if has_key(s:host, expand('%:e'))
  let s:braces = expand('%:e') ==# 'kz' ? 'koruHostBraces' : 'koruHostBracesJS,koruHostRegexp'
  execute 'syntax region koruHost start=+\v^\ze\s*%([^~|! \t]|!\=)+ end=+^\ze\s*\~+ contains=@' . s:host[expand('%:e')] . ',koruHostComment,koruHostString,' . s:braces
endif

highlight default link koruComment Comment
highlight default link koruHostComment Comment
highlight default link koruProse SpecialComment
highlight default link koruString String
highlight default link koruHostString String
highlight default link koruHostRegexp String
highlight default link koruTemplateText String
highlight default link koruRawName String
highlight default link koruCharacter Character
highlight default link koruEscape SpecialChar
highlight default link koruSpliceMark Special
highlight default link koruSpec Type
highlight default link koruTag PreProc
highlight default link koruNumber Number
highlight default link koruLiteral Boolean
highlight default link koruConstant Constant
highlight default link koruType Type
highlight default link koruState StorageClass
highlight default link koruPossession Exception
highlight default link koruPhantom Delimiter
highlight default link koruDeclaration Keyword
highlight default link koruTor Function
highlight default link koruProcName Function
highlight default link koruTarget StorageClass
highlight default link koruImport Include
highlight default link koruModule Include
highlight default link koruModuleDots Include
highlight default link koruQualified Function
highlight default link koruVerb Function
highlight default link koruOpaqueHead Function
highlight default link koruGrant Function
highlight default link koruInclude Include
highlight default link koruControl Conditional
highlight default link koruConditional Conditional
highlight default link koruOperatorWord Operator
highlight default link koruOperator Operator
highlight default link koruFlowOperator Statement
highlight default link koruTilde Statement
highlight default link koruArm Statement
highlight default link koruArmName Label
highlight default link koruMetatype Type
highlight default link koruOutcome Label
highlight default link koruLabel Label
highlight default link koruArmBinding Identifier
highlight default link koruBinding Identifier
highlight default link koruDiscard Comment
highlight default link koruField Identifier
highlight default link koruEntry Identifier
highlight default link koruBuiltin Special
highlight default link koruAnnotation PreProc
highlight default link koruBullet PreProc
highlight default link koruInline PreProc
highlight default link koruSuffix PreProc
highlight default link koruBrace Delimiter
highlight default link koruPunctuation Delimiter

let b:current_syntax = 'koru'
let &cpo = s:cpo
unlet s:cpo
