import { createHash } from "node:crypto"
import type { ArtifactRecord, Content } from "./ArtifactRecord.ts"
import * as ArtifactUpdate from "./ArtifactUpdate.ts"

/** A Markdown plan as an artifact (contract 2.9), without its version; undefined when its text is unchanged. */
export const toContent = (
  uri: string,
  text: string,
  before: ArtifactRecord | undefined,
  more: Readonly<Record<string, unknown>> = {}
): Content | undefined => {
  const known = currentText(before)
  if (before?.type === "plan" && known === text) return undefined
  const words = before === undefined || before.event === "deleted" ? {} : ArtifactUpdate.wordsOf(before.body)
  // A title that was taken from the text goes with the text.
  const derived = [before?.body["name"], ...(known === undefined ? [] : [titleOf(known)])]
  const title = words.title === undefined || derived.includes(words.title) ? titleOf(text) : words.title
  return {
    uri,
    type: "plan",
    md5: createHash("md5").update(text).digest("hex"),
    body: {
      name: "plan.md",
      mimeType: "text/markdown",
      ...more,
      ...words,
      title,
      text,
      ...(known === undefined ? {} : { previousText: known }),
      enableEdit: false
    }
  }
}

/** The text of the stored plan; undefined when there is none or it is deleted. */
export const currentText = (before: ArtifactRecord | undefined): string | undefined => {
  const text = before?.type === "plan" && before.event !== "deleted" ? before.body["text"] : undefined
  return typeof text === "string" ? text : undefined
}

const titleOf = (text: string): string => {
  const heading = /^#{1,6}[ \t]+(\S.{0,199})$/m.exec(text.slice(0, 4096))?.[1]
  return heading?.replace(/[ \t]+#*[ \t]*$/, "") ?? "Plan"
}
