import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { MaybePromise } from '../../ports.ts'
import { withoutServerMetadata } from '../engine/to-predict-options.ts'
import { createMediaWriter } from './media-writer.ts'
import { createMessageWriter } from './message-writer.ts'
import {
  createModelTemplates,
  type ModelTemplates,
  type ModelTemplatesOptions,
  type TemplateKey,
} from './model-templates.ts'
import type { ChatPromptInput, EditPromptInput, PromptExtras } from './prompt-input.ts'
import { selectTools } from './select-tools.ts'
import { type PromptData, toPromptData } from './template-data.ts'

/** The writer of a chat's prompt: the backend with the model's own template, or the server. */
export type ChatPrompt =
  /** Send the messages; the backend applies the model's own template. */
  | { readonly mode: 'backend' }
  /** Send this text: `PredictContext.prompt`. */
  | {
      readonly mode: 'prompt'
      readonly prompt: string
      /** Whether the request has tools and the templates do not show them. */
      readonly hidesTools?: true | undefined
    }

/** Options of a chat's prompt beside model and request. */
export interface ChatPromptOptions {
  /** The marker of a medium that the loaded backend reports. @default `<__media__>` */
  readonly mediaMarker?: string | undefined
  readonly signal: AbortSignal
}

/**
 * Writes prompts with the templates of model files (§2.9). Templates are compiled once for each model config, read
 * again when their file changes, and dropped with the config. A template that does not compile, fails or reaches a
 * limit is logged once; the prompt is then written as without it.
 *
 * Models come with their defaults filled in: `ModelDirectory` gives the same object while nothing has changed.
 */
export interface PromptBuilder {
  /**
   * Writes the prompt of a chat. It has no stop texts: `toPredictOptions` sends the model's, then the request's.
   *
   * @throws {SvcError} `too_large`, code `prompt_too_long`, above 48 Mi characters
   */
  chat(model: ModelConfig, input: ChatPromptInput, options: ChatPromptOptions): MaybePromise<ChatPrompt>
  /**
   * Writes the prompt for one text to continue, with `completion` or as the bare text. Models whose backend renders
   * chats get theirs here too.
   *
   * @throws {SvcError} as `chat`
   */
  completion(model: ModelConfig, text: string, extras?: PromptExtras): string
  /**
   * Writes the prompt of an edit with `edit`, or as the bare text.
   *
   * @throws {SvcError} as `chat`
   */
  edit(model: ModelConfig, input: EditPromptInput): string
}

/** Options of {@link createPromptBuilder}. */
export interface PromptBuilderOptions extends Pick<ModelTemplatesOptions, 'logger' | 'openFolder'> {
  /** Wall time in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined
}

const WRITTEN_BY_BACKEND: ChatPrompt = { mode: 'backend' }
/** Maximum length of a prompt in UTF-16 units; a longer one fits no message to a backend. */
const MAX_PROMPT_LENGTH = 48 * 1024 * 1024
/** Number of messages that are written before other work runs. */
const MESSAGES_PER_TURN = 64

/**
 * A builder with no templates yet.
 *
 * @example
 * const prompts = createPromptBuilder({ logger })
 * const chat = await prompts.chat(model, request, { signal, mediaMarker })
 * const fields = toPredictOptions(model, request, {
 *   correlationId,
 *   choice,
 *   prompt: chat.mode === 'prompt' ? chat.prompt : undefined,
 * })
 */
export function createPromptBuilder({ logger, openFolder, now = Date.now }: PromptBuilderOptions = {}): PromptBuilder {
  const known = new WeakMap<ModelConfig, ModelTemplates>()
  const findTemplates = (model: ModelConfig): ModelTemplates => {
    const before = known.get(model)
    if (before !== undefined) return before
    const templates = createModelTemplates(model, { logger, openFolder, now })
    known.set(model, templates)
    return templates
  }

  const write = (model: ModelConfig, key: TemplateKey, { extras, ...data }: PromptText): string => {
    const rendering = findTemplates(model)
      .find(key)
      ?.render(() => toPromptData({ systemPrompt: model.llm.systemPrompt, ...data, ...selectExtras(model, extras) }))
    return checked(rendering !== undefined && 'text' in rendering ? rendering.text : data.input)
  }

  const writeChat = async (
    model: ModelConfig,
    input: ChatPromptInput,
    { mediaMarker, signal }: ChatPromptOptions,
  ): Promise<ChatPrompt> => {
    const tools = selectTools(model, input)
    const media = createMediaWriter(findTemplates(model).find('multimodal'), { marker: mediaMarker })
    const messageTemplate = findTemplates(model).find('chat_message')
    const messages = createMessageWriter(model, messageTemplate)
    const hasGrammar = tools.needsGrammar || input.structuredOutput !== undefined || Boolean(model.llm.grammar)
    const texts: string[] = []
    let suppressSystemPrompt = false
    let length = 0
    for (const [index, message] of input.messages.entries()) {
      const isLast = index === input.messages.length - 1
      const place = { index, isLast, hasGrammar: isLast && hasGrammar }
      const written = messages.write({ ...message, content: media.write(message) }, place)
      if (written.isPlainSystem) suppressSystemPrompt = true
      if (written.text !== undefined) texts.push(written.text)
      length += written.text?.length ?? 0
      if (length > MAX_PROMPT_LENGTH) throw tooLong()
      if (index % MESSAGES_PER_TURN === MESSAGES_PER_TURN - 1) await breathe(signal)
    }
    const key = tools.isActive && model.template.function ? 'function' : 'chat'
    const prompt = write(model, key, {
      input: texts.join(model.template.joinChatMessagesByCharacter ?? '\n'),
      suppressSystemPrompt,
      functions: tools.functions,
      extras: input,
    })
    const template = findTemplates(model).find(key)
    const hidesTools =
      tools.isActive && (template === undefined ? messageTemplate !== undefined : !template.showsTools())
    return { mode: 'prompt', prompt: checked(media.finish(prompt)), hidesTools: hidesTools || undefined }
  }

  return {
    chat: (model, input, chatOptions) =>
      model.template.useTokenizerTemplate === true ? WRITTEN_BY_BACKEND : writeChat(model, input, chatOptions),
    completion: (model, text, extras = {}) => write(model, 'completion', { input: text, extras }),
    edit: (model, { input, instruction, ...extras }) => write(model, 'edit', { input, instruction, extras }),
  }
}

/** Data of a prompt beside the model's. */
interface PromptText extends Omit<PromptData, 'reasoningEffort' | 'metadata' | 'systemPrompt'> {
  readonly extras: PromptExtras
}

function selectExtras(model: ModelConfig, { reasoningEffort, metadata = {} }: PromptExtras): PromptExtras {
  return {
    reasoningEffort: reasoningEffort || model.reasoningEffort,
    metadata: withoutServerMetadata(metadata),
  }
}

/** Lets other work run. @throws the signal's reason when the client has left */
async function breathe(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  signal.throwIfAborted()
}

function checked(prompt: string): string {
  if (prompt.length > MAX_PROMPT_LENGTH) throw tooLong()
  return prompt
}

function tooLong(): SvcError {
  return new SvcError('too_large', `the prompt is longer than ${MAX_PROMPT_LENGTH} characters`, {
    code: 'prompt_too_long',
  })
}
