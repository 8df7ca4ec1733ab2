import * as FastCheck from "effect/FastCheck"

const of = (...pieces: ReadonlyArray<string>) => FastCheck.constantFrom(...pieces)

const word = FastCheck.oneof(
  {
    weight: 12,
    arbitrary: of("the", "answer", "is", "forty-two.", "Because", "snake_case_name", "it's", "a", "of", "Yes!")
  },
  {
    weight: 2,
    arbitrary: of("**bold words here**", "*it*", "_it_", "~~gone~~", "||hidden||", "__under__", "***both***")
  },
  {
    weight: 2,
    arbitrary: of(
      "`code`",
      "``a ` b``",
      "```npm i```",
      "`",
      "``",
      "```",
      "````",
      "*",
      "**",
      "||",
      "_",
      "\\",
      "\\*",
      "\\`"
    )
  },
  {
    weight: 2,
    arbitrary: of(
      "@everyone",
      "@here",
      "<@123456789012345678>",
      "<@!12345678901234567>",
      "<@&1234567890123456>",
      "<#123456>"
    )
  },
  {
    weight: 1,
    arbitrary: of("<t:1700000000:R>", "<:smile:12345678>", "<a:wave:12345678>", "</task new:123456>", "<id:browse>")
  },
  {
    weight: 2,
    arbitrary: of(
      "[a link](https://example.com/x?y=z)",
      "https://example.com/a/very/long/path?with=query",
      "<https://a.b>"
    )
  },
  {
    weight: 2,
    arbitrary: of(
      "👩‍👩‍👧‍👦",
      "👍🏽",
      "🇩🇪🇫🇷",
      "e\u0301\u0323",
      "नमस्ते",
      "각",
      "漢字かな交じり文。",
      "“quoted”",
      "\u00a0",
      "\u200b"
    )
  },
  { weight: 1, arbitrary: of("|", ">", "#", "-", "1.", "&nbsp;", "<b>", "---", "===", ">>>", "-#", "~~~") }
)

const sentence = FastCheck.array(word, { minLength: 1, maxLength: 60 }).map((words) =>
  words.join(" ").replace(/^(?=[\s>*+\-\d.)]*(```|~~~))/, "x ")
)
const long = FastCheck.oneof(
  FastCheck.integer({ min: 1, max: 5000 }).map((length) => "x".repeat(length)),
  FastCheck.integer({ min: 1, max: 900 }).map((length) => "👩‍👩‍👧‍👦".repeat(length)),
  FastCheck.integer({ min: 1, max: 1500 }).map((length) => "🇩🇪".repeat(length)),
  FastCheck.integer({ min: 1, max: 2500 }).map((length) => "字".repeat(length)),
  FastCheck.integer({ min: 1, max: 4000 }).map((length) => `a${"\u0301".repeat(length)}`),
  FastCheck.integer({ min: 1, max: 2500 }).map((length) => " ".repeat(length)),
  FastCheck.integer({ min: 1, max: 600 }).map((length) => `**${"bold ".repeat(length)}**`),
  FastCheck.integer({ min: 1, max: 2500 }).map((length) => `x${"`".repeat(length)}`),
  FastCheck.integer({ min: 1, max: 300 }).map((count) => "<@123456789012345678>".repeat(count))
)
const line = FastCheck.oneof({ weight: 9, arbitrary: sentence }, { weight: 1, arbitrary: long })
const lines = (most: number) => FastCheck.array(line, { minLength: 1, maxLength: most })
const prefixed = (...marks: ReadonlyArray<string>) =>
  FastCheck.array(FastCheck.tuple(of(...marks), line), { minLength: 1, maxLength: 25 }).map((items) =>
    items.map(([mark, words]) => mark + words).join("\n")
  )

const codeLine = FastCheck.oneof(
  {
    weight: 6,
    arbitrary: of("const a = 1", "  if (x) {", "}", "", "\t\tdeep()", "    return `t`", "// @everyone <@1>")
  },
  { weight: 1, arbitrary: of("```", "``", "```LNGD", "~~~", "````", "   ", "| a | b |", "> q", "- x", "# h", "x```y") },
  { weight: 1, arbitrary: FastCheck.integer({ min: 1, max: 4500 }).map((length) => "code(); ".repeat(length / 8)) }
)
const fence = FastCheck.tuple(
  of("```", "```", "````", "~~~", "~~~~", "``````"),
  of("", "LNGA", "LNGB title", "LNGC"),
  FastCheck.array(codeLine, { maxLength: 60 }),
  of("", "  ", "> ", "    ", "- ", "   "),
  FastCheck.boolean()
).map(([marks, info, code, prefix, ends]) => {
  const inner = prefix === "- " ? "  " : prefix
  return [prefix + marks + info, ...code.map((each) => inner + each), ...(ends ? [inner + marks] : [])].join("\n")
})

const cell = FastCheck.oneof(
  of("a", "1", "**b**", "long name of a thing", "`x\\|y`", "\\_", "", "漢字", "👍🏽", "<@1>"),
  sentence
)
const table = FastCheck.tuple(
  FastCheck.integer({ min: 1, max: 5 }),
  FastCheck.array(FastCheck.array(cell, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 40 }),
  of("---", ":--", "--:", ":-:", "-")
).map(([columns, rows, rule]) => {
  const row = (cells: ReadonlyArray<string>) =>
    `| ${cells
      .slice(0, columns)
      .map((each) => each.replaceAll(/(?<!\\)\|/g, "\\|"))
      .join(" | ")} |`
  const [header = [], ...body] = rows
  return [row(header), `|${` ${rule} |`.repeat(columns)}`, ...body.map(row)].join("\n")
})

const heading = FastCheck.tuple(of("# ", "## ", "### ", "#### ", "-# ", "#"), sentence).map((parts) => parts.join(""))
const block = FastCheck.oneof(
  { weight: 4, arbitrary: lines(6).map((each) => each.join("\n")) },
  { weight: 3, arbitrary: fence },
  { weight: 2, arbitrary: prefixed("- ", "  - ", "* ", "1. ", "    - ", "") },
  { weight: 1, arbitrary: prefixed("> ", ">", "> > ", ">>> ") },
  { weight: 1, arbitrary: heading },
  { weight: 1, arbitrary: FastCheck.integer({ min: 1, max: 2500 }).map((length) => "`".repeat(length)) },
  { weight: 1, arbitrary: FastCheck.string({ unit: "grapheme", maxLength: 400 }) },
  { weight: 1, arbitrary: FastCheck.string({ unit: "binary", maxLength: 200 }) },
  { weight: 1, arbitrary: of("---", "```npm i``` then", "\n\n\n", "   ", "\r\n", "```", "~~~", "\n".repeat(40)) }
)
const separated = (blocks: FastCheck.Arbitrary<string>, ...between: ReadonlyArray<string>) =>
  FastCheck.array(FastCheck.tuple(blocks, of("\n\n", "\n\n", "\n", "\r\n", "\n\n\n\n", ...between)), {
    maxLength: 25
  }).map((each) => each.map((parts) => parts.join("")).join(""))

/** Markdown as agents write it, and worse, but without tables. */
export const prose = separated(block)

/** The same with tables, and with blocks that run into each other. */
export const document = separated(
  FastCheck.oneof(
    { weight: 5, arbitrary: block },
    { weight: 1, arbitrary: table },
    of("|", "| a |", "| a |\n|--", "| a |\n")
  ),
  ""
)

/** Pages that are nearly full, and what could make them overflow before it is known what it is. */
export const brim = FastCheck.tuple(
  of("", "```ts\n", "~~~~\n", "> ```\n> ", "| a | b |\n|---|---|\n"),
  FastCheck.oneof(
    FastCheck.integer({ min: 1880, max: 2000 }).map((length) => `${"word ".repeat(length / 5)}`),
    FastCheck.integer({ min: 1880, max: 2000 }).map((length) => "y".repeat(length)),
    FastCheck.integer({ min: 10, max: 17 }).map((count) => "z\n".repeat(count)),
    FastCheck.integer({ min: 8, max: 17 }).map((count) => "| 1 | 2 |\n".repeat(count)),
    FastCheck.integer({ min: 8, max: 17 }).map((count) => "> z\n".repeat(count)),
    FastCheck.integer({ min: 40, max: 60 }).map((count) => `${"w ".repeat(25)}\n`.repeat(count / 4))
  ),
  FastCheck.array(
    FastCheck.oneof(
      of(
        "\n",
        "\n",
        "\n",
        "```",
        "``",
        "`",
        "~~~",
        "~~~~",
        "> ",
        "| a | b |",
        "| **a** | `b\\|` |",
        "|---|---|",
        "|",
        "---"
      ),
      of(
        "# ",
        "- ",
        "👍",
        "🏽",
        "🇩🇪",
        "\u0301",
        "**",
        "\\",
        "<@1>",
        "@everyone",
        "   ",
        "x",
        "word. ",
        "\r\n",
        ">>> ",
        "ts"
      )
    ),
    { minLength: 1, maxLength: 40 }
  )
).map(([open, filler, end]) => open + filler + end.join(""))

/** Documents of an agent in which every word is another one, so that a reader can tell where each is. */
export const report: FastCheck.Arbitrary<string> = (() => {
  const words = FastCheck.integer({ min: 1, max: 30 }).chain((count) =>
    FastCheck.array(
      FastCheck.oneof(
        { weight: 8, arbitrary: of("§", "§,", "§.") },
        of("**§ §**", "*§*", "`§`", "[§](https://§.com/§)", "2**§", "§_§_§", "👩‍👩‍👧‍👦§", "</b>§", "~~§~~"),
        of("`<@123456789012345678>`", "`@everyone`", "@everyone", "<@123456789012345678>", "</§>", "C:\\§\\§")
      ),
      { minLength: 1, maxLength: count }
    ).map((each) => each.join(" "))
  )
  const code = (indent: string) =>
    FastCheck.tuple(
      of("```", "~~~", "````"),
      of("", "ts", "c++", "python §=§", "npm § --§"),
      FastCheck.array(of("§ = §", "  §(**§)", "", "\t# § @everyone <@1>", "if (§<§) {", "    ```", "        §", "`§"), {
        maxLength: 40
      })
    ).map(([marks, info, lines]) => [marks + info, ...lines, marks].map((line) => indent + line).join("\n"))
  const cell = FastCheck.oneof(
    { weight: 6, arbitrary: of("§", "§", "`§`", "**§**", "**§ §**", "§ **§** §") },
    { weight: 6, arbitrary: of("2**§", "f(**§)", "§/**/*.ts", "**/§/**", "§ * 3 *", "C:\\§\\", "\\§") },
    of("", "`§\\|§`", "§\\|§", "§\\_§", "__§__", "`<@1>`", "@everyone", "§ § § § § § § § § §")
  )
  const table = FastCheck.integer({ min: 1, max: 4 }).chain((columns) =>
    FastCheck.array(FastCheck.array(cell, { minLength: columns, maxLength: columns }), {
      minLength: 0,
      maxLength: 30
    }).map((rows) =>
      [`|${" § |".repeat(columns)}`, `|${"---|".repeat(columns)}`, ...rows.map((row) => `| ${row.join(" | ")} |`)].join(
        "\n"
      )
    )
  )
  const list = FastCheck.array(FastCheck.tuple(of("- ", "  - "), words), { minLength: 1, maxLength: 25 }).map((items) =>
    items.map((item) => item.join("")).join("\n")
  )
  const step = FastCheck.tuple(words, code("   ")).map(([what, how]) => `1. ${what}\n${how}`)
  const indented = FastCheck.array(of("    §", "        § = §", "    ```", "      ~~~ §"), {
    minLength: 1,
    maxLength: 30
  }).map((lines) => `§\n\n${lines.join("\n")}\n\n§`)
  const quote = code("> ")
  const blocks = FastCheck.oneof(
    { weight: 3, arbitrary: words },
    { weight: 3, arbitrary: table },
    { weight: 2, arbitrary: code("") },
    list,
    step,
    indented,
    quote
  )
  return FastCheck.array(blocks, { minLength: 1, maxLength: 10 }).map((each) => {
    let count = 0
    return each.join("\n\n").replaceAll("§", () => `w${count++}`)
  })
})()
