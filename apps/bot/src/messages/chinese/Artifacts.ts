import { plain } from "../../text/Escape.ts"
import type { Messages } from "../Messages.ts"

/** Private texts of `/artifacts` and of the controls of cards. */
export const artifacts: Messages["artifacts"] = {
  title: "这个任务的产出",
  nothingProduced: "这个任务还没有产出。计划、任务清单、文件和总结会以卡片形式出现在这个子区里，也会列在这里。",
  noSuchArtifact: (name) => `这个任务里没有名为 **${plain(name)}** 的内容。用 \`/artifacts list\` 查看全部。`,
  kinds: { Plan: "计划", Tasks: "任务清单", Media: "文件", Overview: "总结" },
  unknownType: (type) => `类型：${type}`,
  deleted: "已删除",
  noName: "未命名",
  card: "卡片",
  opened: (name) => `**${plain(name)}** 在这个子区的上方。`,
  openButton: "跳转到卡片",
  noCard: (name) => `**${plain(name)}** 的卡片已从这个子区移除。用 \`/artifacts download\` 仍可获取其中的内容。`,
  attached: (name) => `**${plain(name)}**（仅你可见）：`,
  wasDeleted: {
    happened: "它已在任务中删除，无法下载。",
    changed: "没有任何改动，也没有扣除积分。",
    next: "用 `/artifacts list` 查看现有内容。"
  },
  link: (name, until) =>
    `你的 **${plain(name)}** 私密下载链接在 <t:${until}:t>（<t:${until}:R>）之前有效。请勿转发：任何持有链接的人都能下载该文件。`,
  linkButton: "获取私密下载链接",
  downloadButton: "下载",
  unreachable: {
    happened: "无法从任务中获取这个文件。",
    changed: "没有任何改动，也没有扣除积分。",
    next: "请稍后再试。"
  },
  noFile: {
    happened: "任务没有为它提供文件，或者文件太大，无法附上。",
    changed: "没有任何改动，也没有扣除积分。",
    next: "可以请智能体把它写成文件。"
  },
  versionsButton: "比较版本",
  versions: (name) => `“${name}”的版本`,
  noPlan: "这个任务还没有计划。智能体制定计划后，可以在这里比较各个版本。",
  oneVersion: "这个计划目前只有一个版本。",
  from: (label) => `旧版本：${label}`,
  to: (label) => `新版本：${label}`,
  version: (version) => `第 ${version} 版`,
  text: (number) => `第 ${number} 份文本`,
  newest: "最新",
  lines: (count) => `${count} 行`,
  noDifference: "这两个版本内容相同。",
  moreInFile: (lines) => `-# … 文件中还有 ${lines} 行`
}
