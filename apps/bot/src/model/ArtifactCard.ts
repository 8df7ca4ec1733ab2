import * as Schema from "effect/Schema"

const Plan = Schema.TaggedStruct("Plan", {
  title: Schema.String,
  text: Schema.String,
  version: Schema.optional(Schema.Number),
  /** What the newest version changed: lines, and all of it in the unified format. */
  change: Schema.optional(Schema.Struct({ added: Schema.Number, removed: Schema.Number, unified: Schema.String }))
})

const Tasks = Schema.TaggedStruct("Tasks", {
  title: Schema.String,
  items: Schema.Array(Schema.Struct({ content: Schema.String, status: Schema.String })),
  done: Schema.Number,
  /** How many there are, cancelled ones left out. */
  total: Schema.Number,
  cancelled: Schema.Number
})

const Media = Schema.TaggedStruct("Media", {
  title: Schema.String,
  /** The file's name, as the agent gave it. */
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
  /** The name of an older file of the thread that has the same content, and is the one that was uploaded. */
  sameAs: Schema.optional(Schema.String)
})

const Overview = Schema.TaggedStruct("Overview", { title: Schema.String, text: Schema.String })

/** What a card says of its artifact. */
export const Body = Schema.Union(Plan, Tasks, Media, Overview)
export type Body = typeof Body.Type
export type Plan = typeof Plan.Type
export type Tasks = typeof Tasks.Type
export type Media = typeof Media.Type
export type Overview = typeof Overview.Type

/** An artifact of a thread's session as its one card shows it. */
export interface ArtifactCard {
  readonly uri: string
  /** Counts the cards of the thread as they were first seen, from 1; it never changes. */
  readonly number: number
  /** Epoch milliseconds: as the artifact says, or when it was first seen. */
  readonly createdAt: number
  /** The turn in which it was seen first. */
  readonly madeIn: string
  /** The turn that changed it last. */
  readonly changedIn: string
  readonly deleted: boolean
  readonly body: Body
}

/** The order of creation. */
export const byCreation = (one: ArtifactCard, other: ArtifactCard): number =>
  one.createdAt - other.createdAt || one.number - other.number

/** What people call it. */
export const nameOf = ({ body }: Pick<ArtifactCard, "body">): string => (body._tag === "Media" ? body.name : body.title)
