// The workspace of every session test: a module, and a program that uses it.
module.exports = {
  'stock.k': `// What is on the shelves.

[
- doc
Look an article up.
- doc(sku)
Its number.
]
pub tor find-article { sku: string }
| found string
| sold-out
| unknown
proc find-article|js { return { found: "shelf 4" }; }
`,
  'shop.k': `import std/io
import std/runtime
import stock

tor greet { name: string }
greet = std/io:print.ln("hello {{ name:s }}")

stock:find-article(sku: "A")
| found shelf |> std/io:print.ln("🛒 on {{ shelf:s }}")
| sold-out |> _
| unknown |> greet(name: "nobody")
`,
};
