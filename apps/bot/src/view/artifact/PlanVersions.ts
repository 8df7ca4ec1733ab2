import * as PlanDiff from "@heddle/artifacts/PlanDiff"
import type { MessageBody } from "../../discord/MessageBody.ts"
import type { Messages } from "../../messages/Messages.ts"
import type { ArtifactCard } from "../../model/ArtifactCard.ts"
import type { PlanVersion } from "../../store/ArtifactCards.ts"
import { cardName } from "./ArtifactList.ts"
import { colors } from "../Colors.ts"
import { escapeCode } from "../../text/Escape.ts"
import { fileName } from "../../text/FileName.ts"
import { truncate } from "../../text/Truncate.ts"
import type { Select } from "../../model/Post.ts"

/** The numbers of the two compared versions. */
export interface VersionPair {
  readonly from: number
  readonly to: number
}

/** The changes between two versions of a plan, with selects for other versions; `versions` is newest first. */
export const page = (
  card: ArtifactCard,
  versions: ReadonlyArray<PlanVersion>,
  requested: Partial<VersionPair>,
  messages: Messages
): MessageBody => {
  const { artifacts } = messages
  const [newest, previous] = versions
  if (newest === undefined || previous === undefined) return { content: artifacts.oneVersion }
  const find = (number: number | undefined, otherwise: PlanVersion) =>
    versions.find((version) => version.number === number) ?? otherwise
  const [from, to] = [find(requested.from, previous), find(requested.to, newest)]
  const diff = PlanDiff.of({ previousText: from.text, text: to.text })
  const unified = diff === undefined || diff.hunks.length === 0 ? "" : PlanDiff.toUnified(diff)
  const select = (side: keyof VersionPair): Select => {
    const chosen = side === "from" ? from : to
    return {
      customId: side === "from" ? `f1:vf:${card.number}:${to.number}` : `f1:vt:${card.number}:${from.number}`,
      placeholder: artifacts[side](nameOf(chosen, messages)),
      minValues: 1,
      maxValues: 1,
      options: versions.map((version) => ({
        value: String(version.number),
        label: artifacts[side](nameOf(version, messages)),
        description: `${artifacts.lines(version.text.trimEnd().split("\n").length)}${version === newest ? ` · ${artifacts.newest}` : ""}`,
        isDefault: version === chosen
      }))
    }
  }
  return {
    content: "",
    embeds: [
      {
        title: truncate(artifacts.versions(cardName(card, messages, 100)), 256),
        description: [
          `${nameOf(from, messages)} <t:${Math.floor(from.seenAt / 1000)}:f> → ${nameOf(to, messages)} <t:${Math.floor(to.seenAt / 1000)}:f>`,
          unified === "" ? artifacts.noDifference : diffBlock(unified, messages)
        ].join("\n"),
        color: colors.plan,
        ...(diff === undefined || unified === ""
          ? {}
          : { footer: messages.turnPosts.planChange(diff.added, diff.removed) })
      }
    ],
    rows: [[select("from")], [select("to")]],
    files:
      unified === "" ? [] : [{ name: fileName(`plan-${from.number}-to-${to.number}.diff`), data: Buffer.from(unified) }]
  }
}

const nameOf = ({ number, version }: PlanVersion, { artifacts }: Messages): string =>
  version === undefined ? artifacts.text(number) : artifacts.version(version)

/** As many lines as fit; the file has all. */
const diffBlock = (unified: string, { artifacts }: Messages): string => {
  const lines = unified.split("\n").map((line) => escapeCode(truncate(line, 300)))
  const visibleLines: Array<string> = []
  let remaining = 3400
  for (const line of lines) {
    remaining -= line.length + 1
    if (remaining < 0) break
    visibleLines.push(line)
  }
  const code = `\`\`\`diff\n${visibleLines.join("\n")}\n\`\`\``
  return visibleLines.length === lines.length
    ? code
    : `${code}\n${artifacts.moreInFile(lines.length - visibleLines.length)}`
}
