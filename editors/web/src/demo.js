// The program that the page opens with.
export const demo = {
  'shop.k': `// A shop: type into it, and the checker answers.
import std/io
import std/runtime
import stock

[
- doc
Greet a customer.
- doc(name)
Who it is.
]
tor greet { name: string }
greet = std/io:print.ln("hello {{ name:s }}")

std/runtime:register(scope: "shop") {
    greet(1)
    stock:find-article -> find(2)
}

stock:find-article(sku: "A")
| found shelf |> std/io:print.ln("on {{ shelf:s }}")
| sold-out |> _
| unknown |> greet(name: "nobody")
`,
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
proc find-article|js {
    return { found: "shelf 4" }; // every article is on it
}
`,
};
