import { type MentionQuery, type State, byId } from "./State.ts"
import { ChannelType } from "./Types.ts"

/** One person, role or channel that a text can name, and how the text and the message write it. */
export interface Mention {
  readonly label: string
  readonly hint: string
  /** The text in the text box, such as `@Sam`. */
  readonly written: string
  /** The text in the message, such as `<@123>`. */
  readonly sent: string
}

const MAX_SUGGESTIONS = 10

/** Finds the mention that the text before the caret begins: `@` or `#` at the start of a word. */
export const mentionBefore = (text: string): MentionQuery | undefined => {
  const found = /(^|\s)([@#][^\s@#]{0,40})$/.exec(text)
  return found === null ? undefined : { at: found.index + (found[1] ?? "").length, typed: found[2] ?? "" }
}

/** The mentions that match a query, those that start with it first. */
export const mentionSuggestions = (state: State, { typed }: MentionQuery): ReadonlyArray<Mention> => {
  const query = typed.toLowerCase()
  const name = query.slice(1)
  const matches = mentions(state).filter(
    ({ label, written }) =>
      label.startsWith(query.slice(0, 1)) &&
      (label.toLowerCase().includes(name) || written.toLowerCase().includes(name))
  )
  const rank = ({ label, written }: Mention): number =>
    label.toLowerCase().startsWith(query) || written.toLowerCase().startsWith(query) ? 0 : 1
  return matches.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_SUGGESTIONS)
}

/** Writes the mentions of a text as messages have them; code stays as it is. */
export const encodeMentions = (state: State, text: string): string => {
  const longestFirst = mentions(state).toSorted((a, b) => b.written.length - a.written.length)
  return outsideCode(text, (part) => {
    let encoded = ""
    let index = 0
    while (index < part.length) {
      const rest = part.slice(index)
      const startsMention = /^[@#]/.test(rest) && !/[\w<@#]/.test(part[index - 1] ?? " ")
      const found = startsMention
        ? longestFirst.find((mention) => rest.startsWith(mention.written) && endsAtWord(rest, mention))
        : undefined
      encoded += found?.sent ?? part[index]
      index += found?.written.length ?? 1
    }
    return encoded
  })
}

/** Writes a message as a person would type it, for editing. */
export const decodeMentions = (state: State, content: string): string => {
  const writtenBySent = new Map(mentions(state).map(({ sent, written }) => [sent, written]))
  return outsideCode(content, (part) => part.replace(/<(@&?|#)\d+>/g, (found) => writtenBySent.get(found) ?? found))
}

const mentions = (state: State): ReadonlyArray<Mention> => [
  ...Object.values(state.people)
    .filter(({ member }) => member !== false)
    .map(({ globalName, id, nick, username }) => ({
      label: `@${nick ?? globalName ?? username}`,
      hint: (nick ?? globalName ?? username) === username ? "" : username,
      written: `@${username}`,
      sent: `<@${id}>`
    })),
  ...state.roles
    .filter(({ mentionable, name }) => mentionable && name !== "@everyone")
    .map(({ id, name }) => ({ label: `@${name}`, hint: "role", written: `@${name}`, sent: `<@&${id}>` })),
  ...state.channels
    .filter(({ type }) => type !== ChannelType.direct && type !== ChannelType.category)
    .toSorted(byId)
    .map(({ id, name, parentId, type }) => ({
      label: `#${name}`,
      hint: type >= 10 ? `thread in ${state.channels.find((parent) => parent.id === parentId)?.name ?? ""}` : "channel",
      written: `#${name}`,
      sent: `<#${id}>`
    }))
]

const endsAtWord = (rest: string, { written }: Mention): boolean => !/^[\w-]/.test(rest.slice(written.length))

const outsideCode = (text: string, write: (part: string) => string): string =>
  text
    .split(/(```[^]*?```|`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : write(part)))
    .join("")
