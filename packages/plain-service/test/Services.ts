import { type PlainService, type PlainServiceOptions, startPlainService } from "@heddle/plain-service"
import { afterEach } from "vitest"

const started: Array<PlainService> = []

afterEach(() => Promise.all(started.splice(0).map((service) => service.stop())))

/** Starts a service that the end of the test stops. */
export const startService = async (options?: PlainServiceOptions): Promise<PlainService> => {
  const service = await startPlainService(options)
  started.push(service)
  return service
}
