import type { KnownScope } from "@heddle/core/domain/Scope"
import { html, type Html } from "./Html.ts"
import type { Reason } from "./ErrorPage.ts"

const wait = (seconds: number): string => (seconds < 60 ? "a moment" : minutes(seconds))

const minutes = (seconds: number): string => {
  const count = Math.max(1, Math.ceil(seconds / 60))
  return `${count} minute${count === 1 ? "" : "s"}`
}

const signIn = {
  title: "Sign in",
  retryTitle: "Sign in: please try again",
  connectedAppsPurpose: "to see which applications use your account",
  applicationPurpose: (application: Html, host: string | undefined): Html =>
    html`to continue to <strong>${application}</strong> ${host === undefined ? undefined : html`at ${host}`}`,
  deviceName: "your device",
  demoAccount: "This is the local demo account of this machine; it is filled in for you.",
  nameLabel: "Account name",
  passwordLabel: "Password",
  submit: "Sign in",
  cancel: "Cancel and go back",
  wrongCredentials: "The account name or the password is wrong. Check both and try again.",
  /** The password was not checked. `reason` is the service's own text, in English. */
  notAttempted: (reason: string, seconds: number): string => `${reason} Wait ${wait(seconds)}, then try again.`,
  signedOut: "You are signed out.",
  sessionEnded: {
    allow: "Your sign-in has ended in the meantime, and nothing was allowed. Sign in again to go on.",
    disconnect: "Your sign-in has ended in the meantime, and nothing was disconnected. Sign in again to go on."
  }
}

const consent = {
  title: (application: string): string => `Allow ${application}?`,
  question: (application: Html): Html => html`Allow ${application} to use your account?`,
  permissionsIntro: "It will be able to:",
  choicesIntro: "It asks to do the following. Untick what you do not want to allow:",
  returnsTo: (host: string): Html =>
    html`Whatever you choose, you go back to <strong>${host}</strong>. If you do not know it, or did not come from
      there, choose Cancel.`,
  endAtAnyTime: (address: string): Html =>
    html`You can end this at any time in your <a href="${address}">connected apps</a>.`,
  cancel: "Cancel",
  allow: "Allow"
}

const scopes = {
  "user.profile.readable": "See your name and picture",
  "user.contact.readable": "Check whether a phone number is yours, without seeing it",
  "user.credit.readable": "See how many credits you have and have used",
  "user.credit.exchange": "Redeem credit codes and vouchers for you",
  "user.task.readable": "See your tasks, follow their sessions and open what they produced",
  "user.task.invokable": "Start tasks for you, which may use your credits",
  "user.localassistant.readable": "See whether your local assistant is online, and read its messages",
  "user.localassistant.invokable": "Send messages to your local assistant, which acts on them on your computer"
} as Readonly<Record<KnownScope, string>>

const device = {
  title: "Connect a device",
  question: (application: Html): Html => html`Allow ${application} on a device to use your account?`,
  codeWarning: (codeLabel: Html): Html =>
    html`Go on only if a device in front of you shows the code ${codeLabel}. If somebody sent you here, choose Cancel.`,
  codeLabel: "The code on your device",
  continue: "Continue",
  connected: {
    title: "Your device is connected",
    text: "It goes on by itself in a few seconds.",
    advice: "You can close this page."
  },
  denied: {
    title: "Nothing was shared",
    text: "The device was told that you did not allow it.",
    advice: "You can close this page."
  },
  unknownCode: "This code is unknown or has expired. Check it, or let your device show a new one.",
  alreadyAnswered: {
    title: "This code was answered already",
    text: "A code can be allowed or denied once.",
    advice: "If your device still waits, let it show a new code.",
    status: 409
  },
  tooManyCodes: (seconds: number): Reason => ({
    title: "Too many wrong codes",
    text: "Nothing was shared.",
    advice: `Wait ${minutes(seconds)}, then try again.`,
    status: 429
  })
}

const apps = {
  title: "Connected apps",
  noApps: "No application can use your account.",
  noAppsHint: "When you allow one, it stands here, and you can disconnect it again.",
  intro: "These applications can use your account until you disconnect them.",
  outOfService: "Out of service: it can do nothing at present.",
  connectedSince: "Connected since",
  lastUsed: "Last active",
  disconnect: "Disconnect",
  disconnected: (application: Html): Html => html`${application} is disconnected.`,
  confirmTitle: (application: string): string => `Disconnect ${application}?`,
  confirmHeading: (application: Html): Html => html`Disconnect ${application}?`,
  accessEnds: "It can do nothing with your account from then on, and what it started for you it can no longer see.",
  whatRemains: "Your tasks and credits stay. It has to ask you again before it can come back.",
  cancel: "Keep it",
  listLink: "Go to your connected apps"
}

/** The reasons why a form of any page is refused. */
const refusedForm = {
  foreign: {
    title: "This did not come from our page",
    text: "Another site sent this on your behalf, so nothing was done.",
    advice: "If you want to go on, start again from here.",
    status: 403
  },
  noCookie: {
    title: "A cookie is missing",
    text: "Your browser did not send the cookie that belongs to this page, so nothing was done.",
    advice: "Either the page was open for too long, or this browser keeps no cookies for this site: allow them.",
    status: 400
  },
  stale: {
    title: "This page has expired",
    text: "It belongs to an earlier visit, so nothing was done.",
    advice: "Perhaps it is open twice, or you have signed in or out in the meantime.",
    status: 400
  }
}

/** The texts of the pages in English. A parameter of type `Html` is an isolated name or code. */
export const english = {
  /** The value of `lang` attributes. */
  language: "en",
  /** The locale of dates. */
  dates: "en-GB",
  signIn,
  signedInAs: (nickname: Html): Html => html`Signed in as <strong>${nickname}</strong>`,
  otherAccount: "Use another account",
  signOut: "Sign out",
  consent,
  scopes,
  unknownScope: (scope: string): string =>
    `Use “${scope}”, which this page has no words for: allow it only if you know what it is`,
  device,
  apps,
  startAgain: "Start again",
  refusedForm,
  /** `description` is the service's own text, in English. */
  invalidLink: (description: string): Reason => ({
    title: "This link does not work",
    text: description,
    advice:
      "Nothing was shared. Go back to where you came from and start again; if it happens again, tell the operator of that application.",
    status: 400
  }),
  tooManyRequests: (seconds: number): Reason => ({
    title: "Too many requests",
    text: "More requests came from your network than this service takes at once. Nothing was done.",
    advice: `Wait ${seconds === 1 ? "a second" : `${seconds} seconds`}, then load this page again.`,
    status: 429
  }),
  serviceFailed: (requestId: string, status: number): Reason => ({
    title: "Something went wrong here",
    text: "The service failed on this request. It is not known whether anything was done.",
    advice: `Go back and try again; if it happens again, give the operator of this service the request id ${requestId}.`,
    status
  }),
  invalidRequest: (description: string, status: number): Reason => ({
    title: "This request cannot be read",
    text: description,
    advice: "Nothing was done. Go back to where you came from and start again.",
    status
  }),
  wait,
  minutes
}
