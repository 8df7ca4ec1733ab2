import * as Context from "effect/Context"
import type * as Browser from "./Browser.ts"
import * as TestServer from "./TestServer.ts"

/** A service as it is when nothing is set. */
export class Default extends Context.Tag("test/Default")<Default, TestServer.TestServer>() {}

/** Registers an application with the callback of the tests. */
export const register = (
  server: TestServer.TestServer,
  application: Omit<Parameters<TestServer.TestServer["applications"]["create"]>[0], "redirectUris">
) => server.applications.create({ redirectUris: [TestServer.redirectUri], ...application })

export const location = (page: Browser.Page) => new URL(page.headers.get("location") ?? "").searchParams
