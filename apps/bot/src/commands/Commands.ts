import { AnswerCard, WriteAnswer } from "./task/AnswerCard.ts"
import { ArtifactLink, ArtifactsDownload } from "./artifacts/ArtifactsDownload.ts"
import { ArtifactsList, ArtifactsListPage } from "./artifacts/ArtifactsList.ts"
import { ArtifactsOpen } from "./artifacts/ArtifactsOpen.ts"
import { ArtifactsPlan, PlanVersionsButton, PlanVersionsChoice } from "./artifacts/ArtifactsPlan.ts"
import { FileOfferControl } from "./artifacts/FileOfferControl.ts"
import type { CommandHandler, Component, MenuCommand } from "./Command.ts"
import { AllowMore, ConnectAccount, ConnectButton, EnterCode, CodeSubmit } from "./account/ConnectAccount.ts"
import { AssistantHistory, AssistantHistoryPage, AssistantSend, AssistantStatus } from "./account/Assistant.ts"
import { AssistantAnswer, AssistantChat } from "./account/AssistantChat.ts"
import { Credit } from "./account/Credit.ts"
import { DisconnectAccount, DisconnectChoice } from "./account/DisconnectAccount.ts"
import { PhoneSubmit, Profile, VerifyPhone } from "./account/Profile.ts"
import { RedeemCode, RedeemSubmit, RedeemVoucher } from "./account/Redeem.ts"
import { help, helpTopic, type Listed } from "./Help.ts"
import { ReplaceAccount } from "./account/ReplaceAccount.ts"
import { SettingsAccess, SettingsAccessPanel } from "./settings/SettingsAccess.ts"
import { SettingsAgent } from "./settings/SettingsAgent.ts"
import { SettingsAudit, SettingsAuditPage } from "./settings/SettingsAudit.ts"
import { SettingsLanguage } from "./settings/SettingsLanguage.ts"
import { SettingsShow } from "./settings/SettingsShow.ts"
import { ResendMessage } from "./task/ResendMessage.ts"
import { StartWithMessage } from "./task/StartWithMessage.ts"
import { StepOutputs } from "./task/StepOutputs.ts"
import { TaskCommand } from "./task/TaskCommand.ts"
import { TaskList, TaskListPage } from "./task/TaskList.ts"
import { TaskMode, TaskModel } from "./task/TaskMode.ts"
import { TaskNew } from "./task/TaskNew.ts"
import { TaskOpen } from "./task/TaskOpen.ts"
import { TaskOptions } from "./task/TaskOptions.ts"
import { TaskShare, TaskUnshare } from "./task/TaskShare.ts"
import { TaskStatus } from "./task/TaskStatus.ts"
import { TaskStop } from "./task/TaskStop.ts"
import { UnknownStartChoice } from "./task/UnknownStartChoice.ts"
import { Welcome } from "./settings/Welcome.ts"

const listed: Listed = () => commands

/** In the order in which people need them; Discord offers the first of each name before any input. */
const allCommands = [
  TaskNew,
  TaskList,
  TaskOpen,
  TaskStatus,
  TaskStop,
  TaskShare,
  TaskUnshare,
  TaskMode,
  TaskModel,
  TaskOptions,
  TaskCommand,
  help(listed),
  ConnectAccount,
  Credit,
  RedeemCode,
  RedeemVoucher,
  Profile,
  VerifyPhone,
  ArtifactsList,
  ArtifactsOpen,
  ArtifactsDownload,
  ArtifactsPlan,
  AssistantStatus,
  AssistantSend,
  AssistantHistory,
  AssistantChat,
  SettingsShow,
  SettingsAccess,
  SettingsLanguage,
  SettingsAgent,
  SettingsAudit,
  Welcome,
  DisconnectAccount
] as const
const allComponents = [
  WriteAnswer,
  AnswerCard,
  ConnectButton,
  EnterCode,
  CodeSubmit,
  AllowMore,
  ReplaceAccount,
  DisconnectChoice,
  RedeemSubmit,
  PhoneSubmit,
  AssistantHistoryPage,
  AssistantAnswer,
  ArtifactLink,
  ArtifactsListPage,
  PlanVersionsButton,
  PlanVersionsChoice,
  FileOfferControl,
  TaskListPage,
  UnknownStartChoice,
  ResendMessage,
  StepOutputs,
  SettingsAccessPanel,
  SettingsAuditPage,
  helpTopic(listed)
] as const
const allMenu = [StartWithMessage] as const

/** The services that the handlers need. */
export type Requirements =
  | ((typeof allCommands)[number] extends infer C ? (C extends CommandHandler<infer R> ? R : never) : never)
  | ((typeof allComponents)[number] extends infer C ? (C extends Component<infer R> ? R : never) : never)
  | ((typeof allMenu)[number] extends infer C ? (C extends MenuCommand<infer R> ? R : never) : never)

/** Every slash command. */
export const commands: ReadonlyArray<CommandHandler<Requirements>> = allCommands

/** Every button, select and form; the first that accepts an id handles it. */
export const components: ReadonlyArray<Component<Requirements>> = allComponents

/** Every command of a message's menu. */
export const menu: ReadonlyArray<MenuCommand<Requirements>> = allMenu
