import { type Node, type ParseState, markdownEngine, rules } from "@odiffey/discord-markdown"

/** Parses Discord's markdown to a tree. */
export const parseMarkdown = (source: string): ReadonlyArray<Node> => parse(source, { inline: true })

const atLineStart = (state: ParseState): boolean => {
  const before = state.prevCapture?.[0]
  return before === undefined || before === "" || before.endsWith("\n")
}

const parse = markdownEngine.parserFor({
  ...rules,
  heading: {
    ...rules.heading,
    match: (source: string, state: ParseState) =>
      atLineStart(state) ? /^(#{1,3}) +([^\n]+?)(\n|$)/.exec(source) : null
  },
  footnote: {
    ...rules["footnote"],
    match: (source: string, state: ParseState) => (atLineStart(state) ? /^-# +([^\n]+?)(\n|$)/.exec(source) : null)
  },
  discordSlash: {
    ...rules["discordSlash"],
    match: (source: string) => /^<\/([^\n:>]{1,100}):(\d{15,21})>/.exec(source),
    parse: (capture: RegExpExecArray) => ({ name: capture[1] })
  }
})
