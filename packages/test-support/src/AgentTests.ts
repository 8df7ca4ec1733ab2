import * as FakeModel from "./model/FakeModel.ts"
import type * as TestedAgents from "./TestedAgents.ts"

/** A spreadsheet as a person attaches it: no agent can read this kind of file by itself. */
export const orders = {
  name: "orders.xlsx",
  contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  data: new TextEncoder().encode("PK\u0003\u0004\u0000 orders")
}

/** A picture of one pixel. */
export const photo = {
  name: "photo.png",
  contentType: "image/png",
  data: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64"
  )
}

type Agent = Pick<TestedAgents.TestedAgent, "environment" | "name" | "problem">

/** What follows the title of a test whose agent cannot run here; empty for one that can. */
export const skipped = ({ problem }: Pick<Agent, "problem">): string =>
  problem === undefined ? "" : ` (skipped: ${problem})`

/** Throws where every agent must run (`HEDDLE_REQUIRE_AGENTS=1`), and one cannot. */
export const requireAll = (agents: ReadonlyArray<Agent>): void => {
  const unable = agents.filter(({ problem }) => problem !== undefined)
  if (process.env["HEDDLE_REQUIRE_AGENTS"] !== "1" || unable.length === 0) return
  throw new Error(`HEDDLE_REQUIRE_AGENTS=1, but ${unable.map(({ name, problem }) => `${name}: ${problem}`).join("; ")}`)
}

/** Runs a test with a fake model, while this process has the variables that lead the agent to it. */
export const withModel = async <A>(
  agent: Agent,
  run: (model: FakeModel.FakeModel, variables: ReadonlyArray<string>) => Promise<A>
): Promise<A> => {
  const model = await FakeModel.start()
  const environment = agent.environment(model.url)
  Object.assign(process.env, environment)
  try {
    return await run(model, Object.keys(environment))
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name]
    await model.close()
  }
}
