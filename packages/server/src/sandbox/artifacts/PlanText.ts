import { createHash } from "node:crypto"
import type { ArtifactRecord, Content } from "./ArtifactRecord.ts"
import * as ArtifactUpdate from "./ArtifactUpdate.ts"

/** A Markdown plan as an artifact (contract 2.9), without its version; undefined when its text is unchanged. */
export const toContent = (
  uri: string,
  text: string,
  previous: ArtifactRecord | undefined,
  extraFields: Readonly<Record<string, unknown>> = {}
): Content | undefined => {
  const previousText = currentText(previous)
  if (previous?.type === "plan" && previousText === text) return undefined
  const agentTexts =
    previous === undefined || previous.event === "deleted" ? {} : ArtifactUpdate.agentTextsOf(previous.body)
  // A title from the previous text changes with the text.
  const derivedTitles = [previous?.body["name"], ...(previousText === undefined ? [] : [titleOf(previousText)])]
  const title =
    agentTexts.title === undefined || derivedTitles.includes(agentTexts.title) ? titleOf(text) : agentTexts.title
  return {
    uri,
    type: "plan",
    md5: createHash("md5").update(text).digest("hex"),
    body: {
      name: "plan.md",
      mimeType: "text/markdown",
      ...extraFields,
      ...agentTexts,
      title,
      text,
      ...(previousText === undefined ? {} : { previousText: previousText }),
      enableEdit: false
    }
  }
}

/** The text of the stored plan; undefined when there is none or it is deleted. */
export const currentText = (previous: ArtifactRecord | undefined): string | undefined => {
  const text = previous?.type === "plan" && previous.event !== "deleted" ? previous.body["text"] : undefined
  return typeof text === "string" ? text : undefined
}

const titleOf = (text: string): string => {
  const heading = /^#{1,6}[ \t]+(\S.{0,199})$/m.exec(text.slice(0, 4096))?.[1]
  return heading?.replace(/[ \t]+#*[ \t]*$/, "") ?? "Plan"
}
