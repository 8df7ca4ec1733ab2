import { AnswerCard, WriteAnswer } from "./AnswerCard.ts"
import { ArtifactLink, ArtifactsDownload } from "./ArtifactsDownload.ts"
import { ArtifactsList, ArtifactsListPage } from "./ArtifactsList.ts"
import { ArtifactsOpen } from "./ArtifactsOpen.ts"
import { ArtifactsPlan, PlanVersionsButton, PlanVersionsChoice } from "./ArtifactsPlan.ts"
import type { Command, Component, MenuCommand } from "./Command.ts"
import { ConnectAccount, ConnectButton } from "./ConnectAccount.ts"
import { Credit } from "./Credit.ts"
import { DisconnectAccount } from "./DisconnectAccount.ts"
import { Help } from "./Help.ts"
import { StartWithMessage } from "./StartWithMessage.ts"
import { TaskList } from "./TaskList.ts"
import { TaskNew } from "./TaskNew.ts"
import { TaskStatus } from "./TaskStatus.ts"
import { TaskStop } from "./TaskStop.ts"

const allCommands = [
  TaskNew,
  TaskList,
  TaskStatus,
  TaskStop,
  ArtifactsList,
  ArtifactsOpen,
  ArtifactsDownload,
  ArtifactsPlan,
  ConnectAccount,
  DisconnectAccount,
  Credit,
  Help
] as const
const allComponents = [
  WriteAnswer,
  AnswerCard,
  ConnectButton,
  ArtifactLink,
  ArtifactsListPage,
  PlanVersionsButton,
  PlanVersionsChoice
] as const
const allMenu = [StartWithMessage] as const

/** What the handlers need. */
export type Requirements =
  | ((typeof allCommands)[number] extends infer C ? (C extends Command<infer R> ? R : never) : never)
  | ((typeof allComponents)[number] extends infer C ? (C extends Component<infer R> ? R : never) : never)
  | ((typeof allMenu)[number] extends infer C ? (C extends MenuCommand<infer R> ? R : never) : never)

/** Every slash command. */
export const commands: ReadonlyArray<Command<Requirements>> = allCommands

/** Every button, list and form; the first that knows an id handles it. */
export const components: ReadonlyArray<Component<Requirements>> = allComponents

/** Every command in the menu of a message. */
export const menu: ReadonlyArray<MenuCommand<Requirements>> = allMenu
