/** The text of a message: its strings and the texts of its blocks, each on its own line. */
export const textOf = ({ content }: { readonly content: ReadonlyArray<unknown> }): string =>
  content
    .flatMap((part) => (isBlock(part) ? [part["text"], part["content"]] : [part]))
    .filter((text) => typeof text === "string")
    .join("\n")

const isBlock = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null && !Array.isArray(part)
