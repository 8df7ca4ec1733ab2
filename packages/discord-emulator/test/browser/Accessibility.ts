import * as Chromium from "@heddle/test-support/Chromium"
import type { Page } from "playwright-core"

const views = Chromium.views({ width: 1280, height: 800 }, { width: 390, height: 844 })
let looks = 0

/** Says what hinders people on a page: one of the four views each time; all of them where pictures are wanted. */
export const checkAccessibility = (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const view = looks++ % views.length
  return Chromium.look(page, name, Chromium.pictures === undefined ? views.slice(view, view + 1) : views)
}
