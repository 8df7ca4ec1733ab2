import { afterAll, afterEach, beforeAll } from "vitest"
import { Client } from "./client.ts"
import { start, type Started } from "./service.ts"

/** One service for all tests of a suite; `opened` gives a client that has loaded the session of a new task. */
export const serviceOfSuite = (options: Parameters<typeof start>[0] = {}) => {
  let service: Started
  beforeAll(async () => {
    service = await start(options)
  })
  afterAll(() => service.stop())
  return { service: () => service, opened: async () => Client.loaded(await service.task()) }
}

/** Starts a service that stops after the test that started it. */
export const serviceOfTest = () => {
  let service: Started | undefined
  afterEach(() => service?.stop())
  return async (...options: Parameters<typeof start>) => {
    service = await start(...options)
    return service
  }
}
