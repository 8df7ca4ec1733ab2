import { Autolink, type MarkdownConfig, parser, Strikethrough, Table } from "@lezer/markdown"

/** The limits of a fence's info string and of container depth; beyond them a line is plain text. */
const limits = { fence: 200, depth: 20, indent: 2000 }

/** Makes hostile lines cheap to parse and render: they become one-line paragraphs with opaque content. */
const Verbatim: MarkdownConfig = {
  parseBlock: [
    {
      name: "Verbatim",
      before: "FencedCode",
      parse: (context, line) => {
        const isLongFence =
          line.text.length - line.pos > limits.fence && /^(?:`{3}|~{3})/.test(line.text.slice(line.pos))
        if (!isLongFence && context.depth <= limits.depth) return false
        const { lineStart } = context
        const paragraph = context.elt("Paragraph", lineStart + line.pos, lineStart + line.text.length)
        context.nextLine()
        context.addElement(paragraph)
        return true
      },
      // The table parser's time is quadratic in the indentation of the next line.
      endLeaf: (context, line) =>
        line.text.includes("|") && (/^[\s>]*/.exec(context.peekLine())?.[0].length ?? 0) > limits.indent
    }
  ],
  parseInline: [{ name: "Text", parse: ({ end }) => end }]
}

const Spoiler: MarkdownConfig = {
  defineNodes: ["Spoiler"],
  parseInline: [
    {
      name: "Spoiler",
      parse: (context, next, at) =>
        next === 124 && context.char(at + 1) === 124
          ? context.addDelimiter({ resolve: "Spoiler" }, at, at + 2, true, true)
          : -1
    }
  ]
}

const blockNames = [
  "LinkReference",
  "IndentedCode",
  "FencedCode",
  "Blockquote",
  "HorizontalRule",
  "BulletList",
  "OrderedList",
  "ATXHeading",
  "HTMLBlock",
  "SetextHeading"
]

const inlineNames = ["Escape", "Entity", "InlineCode", "HTMLTag", "Emphasis", "HardBreak", "Link", "Image", "LinkEnd"]

/** Parses the CommonMark blocks that Discord supports, and GFM tables. Inline content stays text. */
export const blocks = parser.configure([
  Verbatim,
  Table,
  { remove: ["LinkReference", "HTMLBlock", "SetextHeading", ...inlineNames] }
])

/** Parses inline content: CommonMark marks, strikethrough, addresses and spoilers. */
export const inline = parser.configure([Strikethrough, Autolink, Spoiler, { remove: blockNames }])
