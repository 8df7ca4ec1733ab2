import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { SessionState } from "../session/SessionState.ts"

/** The whole report of a session in Markdown; pictures are named relative to it. */
export const reportOf = (session: SessionState): string => {
  const title =
    session.data === null
      ? Language.text("Report", "报告")
      : Language.text(
          `Report on ${Markdown.escapeText(session.data.name, 80)}`,
          `关于 ${Markdown.escapeText(session.data.name, 80)} 的报告`
        )
  const sections = session.sections.map(({ title, text, image }) => {
    const picture = image === null ? "" : `\n\n![${Markdown.escapeText(title, 80)}](${image})`
    return `## ${title}\n\n${text}${picture}`
  })
  return `# ${title}\n\n${sections.join("\n\n")}\n`
}

/** The plan of one turn in Markdown. */
export const planText = (request: string, steps: ReadonlyArray<string>): string => {
  const quotedRequest = request.trim() === "" ? "" : `> ${Markdown.escapeText(request, 300)}\n\n`
  return `# ${Language.text("Plan", "计划")}\n\n${quotedRequest}${steps.map((step, i) => `${i + 1}. ${step}`).join("\n")}\n`
}
