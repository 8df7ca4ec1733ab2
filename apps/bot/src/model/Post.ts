import { createHash } from "node:crypto"

/** A Discord message that should exist, as plain data without Discord types or bytes. */
export interface Post {
  /** Stable within a turn, or within the thread for a card: the same key is the same message. */
  readonly key: string
  readonly content: string
  readonly embeds: ReadonlyArray<Embed>
  /** At most five rows, each with up to five buttons or one select. */
  readonly rows: ReadonlyArray<ReadonlyArray<Component>>
  readonly files: ReadonlyArray<FileRef>
  /** The end of the turn, which the last lines of the content and the rows show. */
  readonly end?: Post
}

/** An embed of a post; its creator keeps Discord's limits. */
export interface Embed {
  readonly title?: string
  readonly description?: string
  readonly color?: number
  readonly footer?: string
  /** The file of the same post that is shown as the picture. */
  readonly image?: string
  /** The URL of a small picture beside the text. */
  readonly thumbnail?: string
}

/** A row: up to five buttons or one select. */
export type Component = Button | EntitySelect | Select

/** A button: with a `url` it opens a page, otherwise it sends an interaction. */
export interface Button {
  readonly label: string
  readonly style: "primary" | "secondary" | "success" | "danger"
  readonly customId?: string
  readonly url?: string
}

/** A select with given options; it sends an interaction with the chosen values. */
export interface Select {
  readonly customId: string
  readonly placeholder: string
  /** The number of options to choose. */
  readonly minValues: number
  readonly maxValues: number
  /** At most 25. */
  readonly options: ReadonlyArray<{
    readonly value: string
    readonly label: string
    readonly description?: string
    readonly isDefault: boolean
  }>
}

/** A select of the server's people, people and roles, or text channels. */
export interface EntitySelect {
  readonly customId: string
  readonly placeholder: string
  readonly selects: "channels" | "people" | "peopleAndRoles"
  /** The number of values to choose. */
  readonly minValues: number
  readonly maxValues: number
  readonly defaultValues: ReadonlyArray<{ readonly id: string; readonly type: "channel" | "role" | "user" }>
}

/** A form with one to five text fields; it sends an interaction with the texts. */
export interface Modal {
  readonly customId: string
  /** At most 45 characters. */
  readonly title: string
  readonly fields: ReadonlyArray<Field>
}

/** A field of a form. */
export interface Field {
  /** The key of the field's text. */
  readonly id: string
  /** At most 45 characters. */
  readonly label: string
  /** At most 100 characters. */
  readonly description?: string
  /** The initial text. */
  readonly value: string
  readonly required: boolean
  /** The bounds of the text's length. */
  readonly minLength: number
  readonly maxLength: number
  /** Whether the field has several lines. */
  readonly isMultiline: boolean
}

/** A file of the session; its bytes are fetched when the post is sent. */
export interface FileRef {
  /** A safe file name, unique in the post. */
  readonly name: string
  readonly uri: string
  /** Changes when the content does. */
  readonly version: string
  /** The content, for text that the bot generates itself. */
  readonly text?: string
  /** The content in Base64, for a file in a message of the agent. */
  readonly base64?: string
  /** A preview of a file that is too large; without a preview the post has no file. */
  readonly preview?: "image" | "text"
}

/** The key of an artifact's only post, in all turns of a thread. */
export const artifactCardKey = (uri: string): string => `card:${uri}`

export const isArtifactCard = (key: string): boolean => key.startsWith("card:")

/** The key of the card of a permission request or question. */
export const requestCardKey = (requestId: string): string => `asked:${requestId}`

/** The request of a post with this key; undefined for another post. */
export const requestIdOf = (key: string): string | undefined =>
  key.startsWith("asked:") ? key.slice("asked:".length) : undefined

/** Whether a post with this key shows what the agent said or did; see `view/TurnBody.ts`. */
export const isAgentOutput = (key: string): boolean => /^(file|more|remark|text|tools):/.test(key)

/** The id of the words that a turn shows of the turn before. */
export const lateTextId = "late"

/** Whether a post with this key shows what the agent said or did in the turn of the post, and not before it. */
export const isOwnOutput = (key: string): boolean => isAgentOutput(key) && key.split(":")[1] !== lateTextId

/** Whether a post with this key has words of the agent from the turn of the post. */
export const isOwnText = (key: string): boolean => key.startsWith("text:") && isOwnOutput(key)

/** A post without the end of the turn that it shows. */
export const withoutEnd = ({ end, ...post }: Post): Post =>
  end === undefined ? post : { ...post, content: post.content.slice(0, -end.content.length - 1), rows: [] }

/** The key of the end of a turn in the last line of another post. Its message id has the time of the call that showed it. */
export const endLineKey = "end-line"

/** A post with text only. */
export const text = (key: string, content: string): Post => ({ key, content, embeds: [], rows: [], files: [] })

/** A post with one embed only. */
export const embed = (key: string, embed: Embed): Post => ({ key, content: "", embeds: [embed], rows: [], files: [] })

/** The hash of a post's content. */
export const hashOf = (post: Post): string => {
  const cached = hashes.get(post)
  if (cached !== undefined) return cached
  const hash = digest(JSON.stringify([post.content, post.embeds, post.rows, filesHash(post)]))
  hashes.set(post, hash)
  return hash
}

/** The hash of a post's files; empty without any. */
export const filesHash = (post: Post): string =>
  post.files.length === 0 ? "" : digest(JSON.stringify(post.files.map((file) => [file.name, file.uri, file.version])))

/** The nonce of a post, stable so that Discord suppresses a duplicate. */
export const nonceOf = (turnId: string, key: string): string => digest(`${turnId} ${key}`)

const hashes = new WeakMap<Post, string>()

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)
