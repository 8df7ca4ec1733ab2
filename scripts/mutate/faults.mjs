// The faults that tests must notice. Each list has places: a file, the tests that must notice its faults, and the faults, each
// with text that is once in the file (`find`) and what stands there instead (`replace`).
import { places as bot } from "./faults/bot.mjs"
import { places as clients } from "./faults/clients.mjs"
import { places as credits } from "./faults/credits.mjs"
import { places as oauth } from "./faults/oauth.mjs"
import { places as sandbox } from "./faults/sandbox.mjs"
import { places as server } from "./faults/server.mjs"
import { places as tasks } from "./faults/tasks.mjs"

export const faults = [bot, clients, credits, oauth, sandbox, server, tasks]
  .flat()
  .flatMap(({ faults, file, tests }) => faults.map((fault) => ({ file, tests, ...fault })))
