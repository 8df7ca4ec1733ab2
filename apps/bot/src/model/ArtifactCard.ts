import * as Schema from "effect/Schema"

const titled = {
  title: Schema.String,
  /** What the artifact says of itself. */
  description: Schema.optional(Schema.String)
}

const Plan = Schema.TaggedStruct("Plan", {
  ...titled,
  text: Schema.String,
  version: Schema.optional(Schema.Number),
  /** The changes of the newest version: line counts and the unified diff. */
  change: Schema.optional(Schema.Struct({ added: Schema.Number, removed: Schema.Number, unified: Schema.String }))
})

const Tasks = Schema.TaggedStruct("Tasks", {
  ...titled,
  items: Schema.Array(Schema.Struct({ content: Schema.String, status: Schema.String })),
  done: Schema.Number,
  /** The number of tasks without cancelled ones. */
  total: Schema.Number,
  cancelled: Schema.Number
})

const Media = Schema.TaggedStruct("Media", {
  ...titled,
  /** The file's name, as the agent named it. */
  name: Schema.String,
  kind: Schema.Literal("image", "video", "audio", "document", "file"),
  mimeType: Schema.optional(Schema.String),
  /** Bytes. */
  size: Schema.optional(Schema.Number),
  /** Pixels. */
  width: Schema.optional(Schema.Number),
  height: Schema.optional(Schema.Number),
  md5: Schema.optional(Schema.String),
  /** Changes when the content does. */
  version: Schema.String,
  /** The name of an older file of the thread with the same content, which was uploaded. */
  sameAs: Schema.optional(Schema.String),
  /** The file could not be fetched, so the card has only words; or it came after that. */
  file: Schema.optional(Schema.Literal("missing", "late"))
})

const Overview = Schema.TaggedStruct("Overview", { ...titled, text: Schema.String })

/** An artifact of a type that the bot does not know. */
const Other = Schema.TaggedStruct("Other", {
  ...titled,
  type: Schema.String,
  /** A public address that the artifact names. */
  link: Schema.optional(Schema.String)
})

/** The content of a card. */
export const ArtifactContent = Schema.Union(Plan, Tasks, Media, Overview, Other)
export type ArtifactContent = typeof ArtifactContent.Type
export type Plan = typeof Plan.Type
export type Tasks = typeof Tasks.Type
export type Media = typeof Media.Type
export type Overview = typeof Overview.Type
export type Other = typeof Other.Type

/** The card of an artifact in a thread; each artifact has one. */
export interface ArtifactCard {
  readonly uri: string
  /** The card's number in the thread by first sight, from 1; it never changes. */
  readonly number: number
  /** Epoch milliseconds: the artifact's own time, or that of first sight. */
  readonly createdAt: number
  /** The turn that first saw the artifact. */
  readonly madeIn: string
  /** The turn that last changed it. */
  readonly changedIn: string
  readonly deleted: boolean
  readonly body: ArtifactContent
}

/** The version of a card's file, which differs for a file that came late: it has to be posted again. */
export const fileVersion = ({ file, version }: Pick<Media, "file" | "version">): string =>
  file === undefined ? version : `${version} ${file}`

/** The order of creation. */
export const byCreation = (a: ArtifactCard, b: ArtifactCard): number => a.createdAt - b.createdAt || a.number - b.number

/** The displayed name. */
export const nameOf = ({ body }: Pick<ArtifactCard, "body">): string => (body._tag === "Media" ? body.name : body.title)
