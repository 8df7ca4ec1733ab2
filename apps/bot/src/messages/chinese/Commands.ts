import { withoutOptions } from "../CommandTexts.ts"
import type { Messages } from "../Messages.ts"

/** The slash commands and their options; at most 100 characters each. */
export const commands: Messages["commands"] = {
  groups: {
    artifacts: "这个子区里的任务的产出",
    assistant: "你电脑上的本地助手",
    redeem: "兑换码和礼品卡",
    settings: "这个机器人在本服务器的设置",
    task: "云端任务"
  },
  taskNew: {
    description: "新建云端任务；会开启一个子区，你可以在里面和智能体对话",
    prompt: "要做什么？",
    file: "要处理的文件；机器人最多读取 25 MB，Discord 对你的上限可能更低",
    name: "任务名称",
    agent: "哪个智能体（服务提供多个时可选）；不填则为服务的默认智能体"
  },
  taskOpen: {
    description: "前往你的某个任务的子区，或在这里为它开启一个",
    task: "哪个任务？"
  },
  taskStatus: {
    description: "查看这个子区里任务的状态",
    task: "你的另一个任务"
  },
  taskStop: {
    description: "停止这个子区里正在进行的回答",
    task: "你的另一个任务"
  },
  taskShare: {
    description: "让别人使用你在这个子区里的任务；费用仍由你的账号承担",
    member: "给谁？",
    may: "允许做什么？不填则可以回复",
    reply: "回复任务、停止回答",
    approve: "回答智能体的提问和许可请求",
    both: "以上两项"
  },
  taskUnshare: {
    description: "不再让某人使用你在这个子区里的任务，或另一个任务",
    member: "谁？",
    task: "你的另一个任务"
  },
  taskMode: {
    description: "选择此任务的智能体的模式，例如更改前是否询问",
    mode: "哪种模式？"
  },
  taskModel: {
    description: "选择此任务的智能体的模型",
    model: "哪个模型？"
  },
  taskOptions: {
    description: "设置此任务的智能体的其他选项",
    option: "哪个选项？",
    value: "设为什么？"
  },
  taskCommand: {
    description: "在此子区中发送智能体自己的命令",
    name: "哪个命令？",
    args: "命令后面的内容"
  },
  settingsAgent: {
    description: "选择新任务的智能体，以及它以哪种模式、模型和选项开始",
    agent: "哪个智能体（服务提供多个时）？",
    mode: "哪种模式？",
    model: "哪个模型？",
    option: "智能体的哪个选项？",
    value: "此选项的哪个值？",
    for: "只用于此智能体的任务；不选则用于所有智能体",
    channel: "在哪里；不选则为整个服务器"
  },
  settingsLanguage: {
    description: "选择我在这里对大家说话时用的语言",
    language: "哪种语言？",
    asAtDiscord: "服务器在 Discord 中的语言"
  },
  assistantSend: {
    description: "给你电脑上的助手发送一条消息",
    message: "要告诉它的内容"
  },
  artifactsOpen: {
    description: "跳转到这个任务某项产出的卡片",
    name: "哪一项？"
  },
  artifactsDownload: {
    description: "获取这个任务的某项产出，仅你可见",
    name: "哪一项？"
  },
  artifactsPlan: {
    description: "比较这个任务的计划的两个版本",
    name: "哪个计划？不填则为最新的计划"
  },
  help: {
    description: "这个机器人能做什么、怎么用",
    topic: "想了解什么"
  },
  settingsWelcome: {
    description: "让机器人在频道里做自我介绍",
    channel: "在哪个频道；不填则在当前频道"
  },
  ...withoutOptions({
    taskList: "查看你最近的任务",
    settingsShow: "查看这个服务器的设置",
    settingsAccess: "按频道、身份组和成员设置谁可以新建、回复、批准、停止和消费",
    settingsAudit: "查看谁在什么时候批准、新建、停止或修改了什么",
    connect: "连接你的账号，你的任务会在这个账号上运行",
    disconnect: "解除机器人对你账号的访问",
    credit: "查看你的积分",
    redeemCode: "用兑换码兑换积分；在只有你能看到的表单里填写",
    redeemVoucher: "用卡号和卡密兑换积分，在只有你能看到的表单里填写",
    profile: "查看你连接的账号",
    verifyPhone: "核对某个手机号是否属于你的账号",
    assistantStatus: "查看你电脑上的助手是否在线",
    assistantHistory: "查看你与电脑上的助手的消息",
    assistantChat: "开启与你电脑上的助手的私密子区",
    artifactsList: "查看这个任务的计划、任务清单、文件和总结"
  }),
  startWithMessage: "用这条消息新建任务"
}
