import { randomUUID } from "node:crypto"
import { type AnswerRecord, channelEndpoints } from "./acp/ChannelEndpoints.ts"
import { defaultReadings } from "./DefaultReadings.ts"
import { Exchanges } from "./http/Exchanges.ts"
import { Listener } from "./http/Listener.ts"
import { route } from "./http/Routes.ts"
import { Unauthorized } from "./http/Unauthorized.ts"
import { authorizePage } from "./oauth/AuthorizePage.ts"
import { bearerGuard } from "./oauth/BearerGuard.ts"
import { Grants } from "./oauth/Grants.ts"
import { tokenEndpoint } from "./oauth/TokenEndpoint.ts"
import { assistantEndpoints } from "./person/AssistantEndpoints.ts"
import { People } from "./person/People.ts"
import { personEndpoints } from "./person/PersonEndpoints.ts"
import { redemptionEndpoint } from "./person/RedemptionEndpoint.ts"
import { Vouchers } from "./person/Vouchers.ts"
import type { PlainService, PlainServiceOptions } from "./PlainService.ts"
import type { Readings } from "./Readings.ts"
import type { Script } from "./rounds/Round.ts"
import type { RoundRecord } from "./rounds/Rounds.ts"
import { artifactEndpoints } from "./tasks/ArtifactEndpoints.ts"
import { cutEndedStreams } from "./tasks/CutEndedStreams.ts"
import { sandboxGuard } from "./tasks/SandboxGuard.ts"
import type { Task } from "./tasks/Task.ts"
import { taskEndpoints } from "./tasks/TaskEndpoints.ts"
import { Tasks } from "./tasks/Tasks.ts"

/** Starts a service on the loopback address that implements the whole document (1 to 9). */
export const startPlainService = async ({
  port = 0,
  redirectUris = ["http://127.0.0.1/callback"],
  script = echo,
  ...chosen
}: PlainServiceOptions = {}): Promise<PlainService> => {
  const choice: { readings: Readings } = { readings: { ...defaultReadings, ...chosen } }
  const application = { clientId: `client-${randomUUID()}`, clientSecret: randomUUID(), redirectUris }
  const state = makeState(script, () => choice.readings)
  const exchanges: Exchanges = new Exchanges((request) => route(routes, request))
  const listener = new Listener(port, exchanges.serve)
  const routes = routesOf(state, application, () => listener.url)
  await listener.start()

  const stop = async (): Promise<void> => {
    state.tasks.pause()
    await listener.stop()
  }
  const start = async (): Promise<void> => {
    await listener.start()
    state.tasks.resume()
  }
  return {
    url: listener.url,
    application,
    get readings() {
      return choice.readings
    },
    rounds: state.rounds,
    requests: exchanges.requests,
    answers: state.answers,
    get assistant() {
      return state.people.named(choice.readings.person).assistant
    },
    tasks: () => state.tasks.all().map(recordOf),
    setReadings: (changed) => {
      choice.readings = { ...choice.readings, ...changed }
    },
    grant: (scopes = choice.readings.applicationScopes) =>
      state.grants.issue({ person: state.people.named(choice.readings.person), scopes }),
    revokeTokens: (what) => state.grants.revoke(what),
    revokeTickets: () => {
      for (const task of state.tasks.all()) {
        task.tickets.revoke()
        cutEndedStreams(task, choice.readings)
      }
    },
    addVoucher: (voucher) => state.vouchers.add(voucher),
    setTaskStatus: (taskId, status) => state.tasks.find(taskId)?.setStatus(status),
    putArtifact: (taskId, event, artifact, bytes) => state.tasks.find(taskId)?.putArtifact(event, artifact, bytes),
    addFault: (rule) => exchanges.faults.add(rule),
    clearFaults: () => exchanges.faults.clear(),
    cutStreams: (how = "reset") => {
      for (const { session } of state.tasks.all()) session.close(how)
    },
    restart: async () => {
      await stop()
      await start()
    },
    stop,
    start
  }
}

const echo: Script = async ({ say, text }) => {
  say(`Echo: ${text}`)
  return { stopReason: "end_turn" }
}

const makeState = (script: Script, readings: () => Readings) => {
  const rounds: Array<RoundRecord> = []
  const answers: Array<AnswerRecord> = []
  return {
    readings,
    rounds,
    answers,
    people: new People(readings),
    grants: new Grants(readings),
    vouchers: new Vouchers(),
    tasks: new Tasks({ readings, script, rounds })
  }
}

const routesOf = (
  { answers, grants, people, readings, tasks, vouchers }: ReturnType<typeof makeState>,
  application: PlainService["application"],
  baseUrl: () => string
) => {
  const unauthorized = new Unauthorized(readings)
  const bearer = bearerGuard(grants, unauthorized, readings)
  const sandbox = sandboxGuard(tasks, unauthorized)
  return [
    ...authorizePage(application, grants, people, readings),
    tokenEndpoint(application, grants, readings),
    ...personEndpoints(bearer, readings),
    redemptionEndpoint(vouchers, bearer, readings),
    ...assistantEndpoints(bearer, readings),
    ...taskEndpoints(tasks, bearer, readings, baseUrl),
    ...channelEndpoints(sandbox, readings, answers),
    ...artifactEndpoints(tasks, sandbox, readings, baseUrl)
  ]
}

const recordOf = ({ id, name, person, prompt, session, status }: Task) => ({
  taskId: id,
  name,
  status,
  prompt,
  person: person.name,
  connections: session.connections.size
})
