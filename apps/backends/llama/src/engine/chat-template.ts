import type { Log } from '@svc/backend-kit'
import type { ToolFormatMarkers } from '@svc/reply-parser'
import { parseJsonKeepingNumbers } from '@svc/templates'
import { notSupported } from '../errors.ts'
import { detectMarkers } from '../tool-format/detect-markers.ts'
import { writeProbes } from '../tool-format/probe-calls.ts'
import { compileChatTemplate, type TemplateConversation } from './render-chat-template.ts'

/** One turn of a conversation for templates. */
export interface ChatMessage {
  readonly role: string
  /** Null beside calls, because some templates expect it. */
  readonly content: string | null
  readonly name?: string | undefined
  readonly tool_call_id?: string | undefined
  readonly reasoning_content?: string | undefined
  readonly tool_calls?: readonly unknown[] | undefined
}

/** A conversation to render. */
export interface ChatInput {
  readonly messages: readonly ChatMessage[]
  /** Tool declarations; null without tools. */
  readonly tools: readonly unknown[] | null
  /** Further variables, such as `enable_thinking`; they never replace the ones above. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** The chat template of a model. */
export interface ChatTemplate {
  /** Whether it comes from the model's file. */
  readonly own: boolean
  /** The prompt for the next answer. */
  render(input: ChatInput): string
  /** Whether the answer may begin with thoughts. */
  readonly supportsThinking: boolean
  /** A sample: a short conversation with thinking on. */
  readonly sample: string
  /** Markers of calls, for forms that the parser does not know by default. */
  readonly markers: ToolFormatMarkers | undefined
  /** The template's text for sample calls; empty without support for calls. */
  readonly callSample: string
}

/** Texts of the tokens that templates may use. */
export interface TemplateTokens {
  readonly bos: string
  readonly eos: string
}

/** For models without a template: turns marked by `<|im_start|>` and `<|im_end|>`. */
const CHATML_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

const SAMPLE: ChatInput = { messages: [{ role: 'user', content: 'Hello' }], tools: null, variables: {} }
const OPENS_THOUGHTS = /<(think|thinking|thought|reasoning)>\s*$|<\|channel>thought\s*$|\[THINK\]\s*$/

/** Compiles the template of a model, or ChatML without one. @throws for a malformed template */
export function createChatTemplate(source: string | undefined, tokens: TemplateTokens): ChatTemplate {
  const template = source ?? CHATML_TEMPLATE
  const renderConversation = compileChatTemplate(template)
  const asText = takesArgumentsAsText(template)
  const render = (input: ChatInput): string => renderConversation(toConversation(input, tokens, asText))
  return { own: source !== undefined, render, ...describeThinking(render), ...describeCalls(render) }
}

/**
 * {@link createChatTemplate} for a model that must load in any case: a malformed template is logged, and every
 * conversation is refused. Prompts rendered elsewhere still work.
 */
export function openChatTemplate(
  source: string | undefined,
  { tokens, log }: { readonly tokens: TemplateTokens; readonly log: Log },
): ChatTemplate {
  try {
    return createChatTemplate(source, tokens)
  } catch (error) {
    log.warn(`the chat template cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    const render = (): never => {
      throw notSupported("the model's chat template cannot be read")
    }
    return { own: true, render, supportsThinking: false, sample: '', markers: undefined, callSample: '' }
  }
}

function toConversation(input: ChatInput, tokens: TemplateTokens, argumentsAsText: boolean): TemplateConversation {
  return {
    messages: input.messages.map((message) => toTemplateMessage(message, argumentsAsText)),
    tools: input.tools,
    bosToken: tokens.bos,
    eosToken: tokens.eos,
    variables: input.variables,
  }
}

/** Templates test with `is defined`, so absent fields stay absent. */
function toTemplateMessage(message: ChatMessage, argumentsAsText: boolean): ReadonlyMap<string, unknown> {
  const { tool_calls: calls, ...rest } = message
  const entries = Object.entries(rest).filter(([key, value]) => key === 'content' || (value ?? '') !== '')
  const shown = argumentsAsText ? calls : calls?.map(parseArguments)
  return new Map<string, unknown>(shown?.length ? [...entries, ['tool_calls', shown]] : entries)
}

/**
 * Whether arguments stay JSON text: a template that handles text itself shows it as the model wrote it; one that
 * applies `tojson` or iterates over the entries needs the value.
 */
function takesArgumentsAsText(template: string): boolean {
  if (/arguments['"\]]*\s+is\s+string/.test(template)) return true
  return !/(arguments|function|tool_call)['"\]]*\s*(\|\s*(tojson|items)|\.items\()/.test(template)
}

function parseArguments(call: unknown): unknown {
  const entries = toEntries(call)
  if (entries === undefined) return call
  const called = entries.get('function')
  if (toEntries(called) !== undefined) return new Map(entries).set('function', parseArguments(called))
  const text = entries.get('arguments')
  if (typeof text !== 'string') return call
  try {
    return new Map(entries).set('arguments', parseJsonKeepingNumbers(text))
  } catch {
    // A model can write anything: invalid JSON is shown as text.
    return call
  }
}

function describeThinking(render: ChatTemplate['render']): Pick<ChatTemplate, 'supportsThinking' | 'sample'> {
  const renderSample = (thinking: boolean): string => render({ ...SAMPLE, variables: { enable_thinking: thinking } })
  try {
    const sample = renderSample(true)
    return { sample, supportsThinking: sample !== renderSample(false) || OPENS_THOUGHTS.test(sample) }
  } catch {
    // A template may refuse such a short conversation and still accept others.
    return { sample: '', supportsThinking: false }
  }
}

function describeCalls(render: ChatTemplate['render']): Pick<ChatTemplate, 'markers' | 'callSample'> {
  const written = writeProbes((messages, tools) => render({ messages, tools, variables: {} }))
  if (written === undefined) return { markers: undefined, callSample: '' }
  return { markers: detectMarkers(written), callSample: written.two ?? written.one }
}

/** Reads an object's members, for any parser. */
function toEntries(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (value instanceof Map) return value
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined
}
