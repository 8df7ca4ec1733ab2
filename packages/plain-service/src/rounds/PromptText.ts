import type { ContentBlock } from "../acp/Journal.ts"

/** The text blocks of a prompt together. */
export const promptText = (blocks: ReadonlyArray<ContentBlock>): string =>
  blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n")
