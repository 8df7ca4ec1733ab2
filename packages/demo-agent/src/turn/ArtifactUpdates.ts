import * as Language from "../format/Language.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { planText } from "./Report.ts"

/** Pushes the plan of a turn as an artifact; each turn makes a new version. */
export const pushPlan = async (writer: SessionWriter, request: string, steps: ReadonlyArray<string>): Promise<void> => {
  const { session } = writer
  const text = planText(request, steps)
  const isNew = session.planCreatedAt === 0
  if (isNew) session.planCreatedAt = Date.now()
  await writer.artifact(isNew ? "created" : "updated", {
    ...documentOf(session.sessionId, "plan", Language.text("Plan", "计划"), text, session.planCreatedAt),
    version: ++session.planVersion,
    ...(isNew ? {} : { previousText: session.planText }),
    enableEdit: false
  })
  session.planText = text
}

/** Pushes the summary of a turn as the overview of the session. */
export const pushOverview = async (writer: SessionWriter, text: string): Promise<void> => {
  const { session } = writer
  const isNew = session.overviewCreatedAt === 0
  if (isNew) session.overviewCreatedAt = Date.now()
  await writer.artifact(
    isNew ? "created" : "updated",
    documentOf(session.sessionId, "overview", Language.text("Summary", "摘要"), text, session.overviewCreatedAt)
  )
}

const documentOf = (
  sessionId: string,
  type: "plan" | "overview",
  title: string,
  text: string,
  createdAt: number
): Record<string, unknown> => ({
  type,
  uri: `agent:///artifacts/${sessionId}/${type}`,
  name: `${type}.md`,
  title,
  text,
  mimeType: "text/markdown",
  createdAt,
  updatedAt: Date.now()
})
