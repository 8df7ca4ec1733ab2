import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A file that a turn created or changed outside of its artifacts. */
const OfferedFile = Schema.Struct({
  path: Schema.String.pipe(Schema.maxLength(4096)),
  size: Schema.NonNegative,
  change: Schema.Literal("created", "changed"),
  /** What became of the request to get it. */
  result: Schema.optional(Schema.Literal("posted", "gone", "too large", "failed"))
})
export type OfferedFile = typeof OfferedFile.Type

/** The files of a turn that the service offers (contract decision 121). */
export const FileOffer = Schema.Struct({
  /** The extension method that announced it; requests about its files begin with it. */
  method: Schema.String,
  /** The service's id of the message that began the turn. */
  messageId: Schema.String,
  files: Schema.Array(OfferedFile).pipe(Schema.maxItems(25)),
  /** How many others there are. */
  more: Schema.NonNegativeInt,
  /** The service did not look at all folders, so there may be further ones. */
  partial: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** The task posts the files of every turn. */
  always: Schema.Boolean
})
export type FileOffer = typeof FileOffer.Type

/** Reads an offer from a notification; undefined for any other. */
export const fromNotification = (method: string, params: unknown): FileOffer | undefined => {
  if (!/^_[^/]+\/files$/.test(method) || typeof params !== "object" || params === null) return undefined
  return Option.getOrUndefined(decode({ ...params, method }))
}

/** The paths of the files that can still be got. */
export const openPaths = ({ files }: FileOffer): ReadonlyArray<string> =>
  files.filter(({ result }) => result === undefined || result === "failed").map(({ path }) => path)

/** Notes the service's answer to the request for these paths. */
export const withResults = (offer: FileOffer, paths: ReadonlyArray<string>, answer: unknown): FileOffer => {
  const answers = Option.getOrElse(decodeAnswer(answer), () => ({ files: [] })).files
  const resultOf = (path: string): OfferedFile["result"] => {
    const found = answers.find((each) => each.path === path)
    if (found?.uri !== undefined) return "posted"
    return found?.problem === "gone" || found?.problem === "too large" ? found.problem : "failed"
  }
  return {
    ...offer,
    files: offer.files.map((file) => (paths.includes(file.path) ? { ...file, result: resultOf(file.path) } : file))
  }
}

const decode = Schema.decodeUnknownOption(FileOffer)

const decodeAnswer = Schema.decodeUnknownOption(
  Schema.Struct({
    files: Schema.Array(
      Schema.Struct({
        path: Schema.String,
        uri: Schema.optional(Schema.String),
        problem: Schema.optional(Schema.String)
      })
    )
  })
)
