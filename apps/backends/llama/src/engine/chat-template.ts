import type { Log } from '@svc/backend-kit'
import type { ToolFormatMarkers } from '@svc/reply-parser'
import { type ChatTurn, createChatTemplate as compileChatTemplate } from '@svc/templates'
import { invalidRequest, notSupported } from '../errors.ts'
import { detectMarkers } from '../tool-format/detect-markers.ts'
import { writeProbes } from '../tool-format/probe-calls.ts'

/** A conversation to render. */
export interface ChatInput {
  readonly messages: readonly ChatTurn[]
  /** Tool declarations; null without tools. */
  readonly tools: readonly unknown[] | null
  /** Further variables, such as `enable_thinking`; they never replace the ones above. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** Changes data without changing its shape. */
export type Protect = <Value>(value: Value) => Value

/** The chat template of a model. */
export interface ChatTemplate {
  /** Whether there is one, and whether its prompts show declarations of tools. */
  readonly support: 'none' | 'without-tools' | 'with-tools'
  /**
   * The prompt for the next answer.
   *
   * @param protect changes all data of the conversation just before it is rendered @default no change
   * @throws LlamaError `invalid_request` when the template refuses the conversation in every form
   */
  render(input: ChatInput, protect?: Protect): string
  /** Whether the answer may begin with thoughts. */
  readonly supportsThinking: boolean
  /** A sample: a short conversation with thinking on. */
  readonly sample: string
  /** Markers of calls, for forms that the parser does not know by default. */
  readonly markers: ToolFormatMarkers | undefined
  /** The template's text for sample calls; empty without support for calls. */
  readonly callSample: string
}

/** Templates of a model's file. */
export interface TemplateSources {
  /** Undefined for a model without a template. */
  readonly main: string | undefined
  /** The one for conversations with tools, which some models have beside the other. */
  readonly forTools?: string | undefined
}

/** Texts of the tokens that templates may use. */
export interface TemplateTokens {
  readonly bos: string
  readonly eos: string
}

const SAMPLE: ChatInput = { messages: [{ role: 'user', content: 'Hello' }], tools: null, variables: {} }
const OPENS_THOUGHTS = /<(think|thinking|thought|reasoning)>\s*$|<\|channel>thought\s*$|\[THINK\]\s*$/

/** Compiles the templates of a model. @throws for a malformed template */
export function createChatTemplate(
  { main, forTools }: TemplateSources & { readonly main: string },
  tokens: TemplateTokens,
): ChatTemplate {
  const template = compileChatTemplate({
    source: main,
    toolSource: forTools,
    bosToken: tokens.bos,
    eosToken: tokens.eos,
  })
  const render: ChatTemplate['render'] = (input, protect) => {
    try {
      return template.render({ ...input, protect })
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown fault'
      throw invalidRequest(`the model's chat template refuses these messages: ${reason}`, 'Messages')
    }
  }
  return {
    support: template.showsTools ? 'with-tools' : 'without-tools',
    render,
    ...describeThinking(render),
    ...describeCalls(render),
  }
}

/**
 * {@link createChatTemplate} for a model that must load in any case. Without a template, or with a malformed one, which
 * is logged, every conversation is refused. Prompts rendered elsewhere still work.
 */
export function openChatTemplate(
  { main, forTools }: TemplateSources,
  { tokens, log }: { readonly tokens: TemplateTokens; readonly log: Log },
): ChatTemplate {
  if (main === undefined) return refuseAll('the model has no chat template: it continues text')
  const open = (sources: TemplateSources & { readonly main: string }): ChatTemplate | undefined => {
    try {
      return createChatTemplate(sources, tokens)
    } catch (error) {
      log.warn(`the chat template cannot be read: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  const opened = open({ main, forTools }) ?? (forTools === undefined ? undefined : open({ main }))
  return opened ?? refuseAll("the model's chat template cannot be read")
}

function refuseAll(reason: string): ChatTemplate {
  const render = (): never => {
    throw notSupported(reason)
  }
  return { support: 'none', render, supportsThinking: false, sample: '', markers: undefined, callSample: '' }
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
