import type { ArtifactContent } from "../../model/ArtifactCard.ts"
import { escapeMarkdown } from "../../text/Escape.ts"
import { truncate } from "../../text/Truncate.ts"

/** The text of a card below the description of its artifact, which takes at most 500 characters. */
export const describe = (
  { description, title }: Pick<ArtifactContent, "description" | "title">,
  text: string
): string =>
  [description === title ? "" : truncate(escapeMarkdown(description ?? ""), 500), text]
    .filter((part) => part !== "")
    .join("\n\n")
