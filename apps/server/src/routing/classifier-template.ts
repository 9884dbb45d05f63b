import { SvcError } from '@svc/errors'
import { chooseTurnEnd, type PromptTemplate } from '@svc/router'
import { createChatTemplate } from '@svc/templates'
import { readGgufChatTemplate } from '../catalog/gguf-summary.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { openModelFolder, withOpenFile } from '../catalog/model-folder.ts'
import type { ConversationWriter } from '../inference/operations/operation-runner.ts'
import type { PromptMessage } from '../inference/prompt/prompt-input.ts'
import type { Logger } from '../ports.ts'

/** Stand for the turns while a template is read. No template changes them. */
const MARKS = { system: 'svc0system0mark', user: 'svc0user0mark', answer: 'svc0answer0mark' } as const
const TURNS: readonly PromptMessage[] = [
  { role: 'system', content: MARKS.system },
  { role: 'user', content: MARKS.user },
]
/** Ends a turn where a model names no stop word: that of ChatML. */
const DEFAULT_TURN_END = '<|im_end|>'

/**
 * The prompt of a scoring classifier by the model's own chat template: that of its file, else that of its weights.
 *
 * @returns undefined where the model has none that shows both turns once; ChatML is used then
 */
export async function readClassifierTemplate(
  model: ModelConfig,
  options: { readonly prompts: ConversationWriter; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<PromptTemplate | undefined> {
  const own = await readOwnTemplate(model, options)
  const found = own ?? readWeightsTemplate(model, options.logger)
  if (found === undefined) return undefined
  const parts = splitPrompt(found.prompt)
  if (parts === undefined) {
    options.logger.warn({ model: model.name }, 'a chat template shows no system turn; the classifier uses ChatML')
    return undefined
  }
  const [before, between, after] = parts
  return {
    turnEnd: found.turnEnd,
    render: ({ system, user }) => `${before}${system}${between}${user}${after}`,
  }
}

interface FoundTemplate {
  /** The prompt with both marks in the place of the turns. */
  readonly prompt: string
  readonly turnEnd: string
}

/** Renders both turns by the templates of the model's file. */
async function readOwnTemplate(
  model: ModelConfig,
  { prompts, signal }: { readonly prompts: ConversationWriter; readonly signal: AbortSignal },
): Promise<FoundTemplate | undefined> {
  const { chat = '', chatMessage = '', useTokenizerTemplate } = model.template
  if (useTokenizerTemplate === true || (chat === '' && chatMessage === '')) return undefined
  const written = await prompts.chat(model, { messages: TURNS }, { signal })
  if (written.mode === 'backend') return undefined
  const { stopwords = [] } = model.llm
  return { prompt: written.prompt, turnEnd: chooseTurnEnd(stopwords, chatMessage) || DEFAULT_TURN_END }
}

/** Renders both turns by the template that the weights carry. */
function readWeightsTemplate(model: ModelConfig, logger: Logger): FoundTemplate | undefined {
  const { gguf, folder, parameters } = model
  if (gguf?.hasChatTemplate !== true) return undefined
  const file = openModelFolder(folder).find(parameters.model ?? '')
  if (file?.found !== true) return undefined
  try {
    const template = createChatTemplate({ source: withOpenFile(file, readGgufChatTemplate) })
    const messages = TURNS.map(toTurn)
    const prompt = template.render({ messages, tools: null })
    const answered = template.render({
      messages: [...messages, { role: 'assistant', content: MARKS.answer }],
      tools: null,
      addGenerationPrompt: false,
    })
    const turnEnd = answered.slice(answered.indexOf(MARKS.answer) + MARKS.answer.length).trim()
    return { prompt, turnEnd: answered.includes(MARKS.answer) ? turnEnd : DEFAULT_TURN_END }
  } catch (error) {
    if (!SvcError.is(error)) throw error
    logger.warn({ model: model.name, err: error }, 'the chat template of a classifier model cannot be used')
    return undefined
  }
}

function toTurn({ role, content }: PromptMessage): { readonly role: string; readonly content: string } {
  return { role, content }
}

/** The text before, between and after the turns; undefined where one of them is not there exactly once, in order. */
function splitPrompt(prompt: string): readonly [string, string, string] | undefined {
  const [before, rest, ...more] = prompt.split(MARKS.system)
  const [between, after, ...others] = rest?.split(MARKS.user) ?? []
  const isWhole = more.length === 0 && others.length === 0 && !before?.includes(MARKS.user)
  if (!isWhole || before === undefined || between === undefined || after === undefined) return undefined
  return [before, between, after]
}
