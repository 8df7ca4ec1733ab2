import * as Open from "@heddle/acp/schema/Open"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { lenientNumber } from "./internal/WireNumber.ts"

const common = {
  /** The key of the artifact (contract 2.9): compared as a string, whatever its scheme. */
  uri: Schema.String,
  name: Open.lenient(Schema.String),
  title: Open.lenient(Schema.String),
  description: Open.lenient(Schema.String),
  mimeType: Open.lenient(Schema.String),
  /** Epoch milliseconds. */
  createdAt: lenientNumber,
  /** Epoch milliseconds. */
  updatedAt: lenientNumber
}

const textOrEmpty = Schema.optionalWith(Schema.String, { default: () => "", nullable: true })

/** The plan of the agent, in Markdown. */
export const Plan = Schema.Struct({
  type: Schema.Literal("plan"),
  ...common,
  text: textOrEmpty,
  version: lenientNumber,
  previousText: Open.lenient(Schema.String),
  enableEdit: Open.lenient(Schema.Boolean)
})
export interface Plan extends Schema.Schema.Type<typeof Plan> {}

/** One item of a task list. */
export const TaskItem = Schema.Struct({
  id: Open.lenient(Schema.String),
  content: Schema.String,
  status: Schema.optionalWith(Open.literals("pending", "in_progress", "completed", "cancelled"), {
    default: () => "pending",
    nullable: true
  }),
  order: lenientNumber
})
export interface TaskItem extends Schema.Schema.Type<typeof TaskItem> {}

/** A task list. */
export const Tasks = Schema.Struct({
  type: Schema.Literal("tasks"),
  ...common,
  tasks: Schema.optionalWith(Open.lenientItems(TaskItem), { default: () => [], nullable: true }),
  enableEdit: Open.lenient(Schema.Boolean)
})
export interface Tasks extends Schema.Schema.Type<typeof Tasks> {}

/** A file: image, video, audio, document or anything else. */
export const Media = Schema.Struct({
  type: Schema.Literal("media"),
  ...common,
  /** Bytes. */
  size: lenientNumber,
  contentType: Open.lenient(Open.literals("image", "video", "audio", "document")),
  /** Pixels. */
  width: lenientNumber,
  height: lenientNumber
})
export interface Media extends Schema.Schema.Type<typeof Media> {}

/** A Markdown summary. */
export const Overview = Schema.Struct({ type: Schema.Literal("overview"), ...common, text: textOrEmpty })
export interface Overview extends Schema.Schema.Type<typeof Overview> {}

/** An artifact of an unknown or unreadable type: `tag` is its type, `raw` the received value. */
export interface Other {
  readonly type: "other"
  readonly tag: string
  readonly uri: string
  readonly createdAt?: number | undefined
  readonly updatedAt?: number | undefined
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly raw: unknown
}

/** An artifact of a session; only `type` and `uri` are required on the wire (contract 2.9). */
export type Artifact = Plan | Tasks | Media | Overview | Other

/** Reads an artifact; undefined without a type and a uri. */
export const fromJson = (value: unknown): Artifact | undefined => {
  const tagged = Option.getOrUndefined(decodeTagged(value))
  if (tagged === undefined) return undefined
  return Option.getOrElse(decodeKnown(value), (): Other => {
    const { type: tag, ...rest } = tagged
    return { type: "other", tag, ...rest, raw: value }
  })
}

const decodeKnown = Schema.decodeUnknownOption(Schema.Union(Plan, Tasks, Media, Overview), {
  onExcessProperty: "preserve"
})

const decodeTagged = Schema.decodeUnknownOption(
  Schema.Struct({
    type: Schema.String,
    uri: common.uri,
    name: common.name,
    title: common.title,
    description: common.description,
    createdAt: common.createdAt,
    updatedAt: common.updatedAt
  })
)
