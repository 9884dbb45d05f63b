import { SvcError } from '@svc/errors'
import { type CompiledJinja, compileJinja } from '../jinja/compile.ts'
import { JinjaLimitError } from '../jinja/errors.ts'
import type { JinjaLimits } from '../jinja/limits.ts'
import type { Clock } from '../jinja/ports.ts'
import { renderChatTemplate } from '../jinja/render-chat-template.ts'
import { writeJson } from './call-arguments.ts'
import { type ChatConversation, type ChatTurn, hasCalls, toTemplateTurn } from './conversation.ts'
import { type Demands, NO_DEMANDS, tighten } from './demands.ts'
import { fitCalls } from './fit-calls.ts'
import { fitTools } from './fit-tools.ts'
import { fitTurns } from './fit-turns.ts'
import type { Attempt } from './probe.ts'
import { probeCalls, probeTools } from './probe-calls.ts'
import { probeBase, probeTurns } from './probe-turns.ts'
import { simplifyTools } from './simplify-tools.ts'

/** A conversation with the options of one rendering. */
export interface ChatTemplateRequest extends ChatConversation {
  /** Further variables, such as `enable_thinking`. They never replace the variables of the conversation. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined
  /** Whether to end with the beginning of an answer. @default true */
  readonly addGenerationPrompt?: boolean | undefined
  /** Changes all data just before it is rendered, without changing its shape. @default no change */
  readonly protect?: (<Value>(value: Value) => Value) | undefined
}

/** A chat template that takes any conversation. */
export interface ChatTemplate {
  /**
   * Renders a conversation in the form that the template accepts and shows. The template's demands are found once, by
   * rendering short samples.
   *
   * @throws the errors of {@link renderChatTemplate}, where no form helps
   */
  render(request: ChatTemplateRequest): string
  /** Whether prompts show declarations of tools. */
  readonly showsTools: boolean
}

/** Options of {@link createChatTemplate}. */
export interface ChatTemplateOptions {
  readonly source: string
  /** The template for conversations with tools, which some models have beside the other. @default the same template */
  readonly toolSource?: string | undefined
  readonly bosToken?: string | undefined
  readonly eosToken?: string | undefined
  /** The clock of `strftime_now`. @default the clock and zone of the machine */
  readonly clock?: Clock | undefined
  readonly limits?: JinjaLimits | undefined
}

/** Limit of one sample; real templates take up to a tenth of it. */
const MAX_SAMPLE_STEPS = 40_000
/** Most turns of a refused conversation that is tried in other forms, because each try costs as much as the first. */
const MAX_TRIED_TURNS = 1000
/** Errors that may depend on the form of a conversation. */
const REFUSALS: ReadonlySet<string> = new Set(['template_raised', 'template_runtime'])

/**
 * Compiles a chat template that renders conversations as clients send them: with any number of system turns, calls
 * with arguments as JSON text, ids of any form, and tools without a description. Where the template refuses a form or
 * does not show it, it gets another one with the same meaning.
 *
 * @throws JinjaSyntaxError for a template that cannot be read
 * @example
 * const template = createChatTemplate({ source: '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}' })
 * template.render({ messages: [{ role: 'user', content: 'Hi' }], tools: null }) // <user>Hi
 */
export function createChatTemplate({ source, toolSource, ...options }: ChatTemplateOptions): ChatTemplate {
  const main = createFittedTemplate(source, options)
  const forTools = toolSource === undefined ? main : createFittedTemplate(toolSource, options)
  return {
    render: (request) => (hasTools(request) ? forTools : main).render(request),
    get showsTools() {
      return forTools.showsTools
    },
  }
}

function createFittedTemplate(source: string, options: Omit<ChatTemplateOptions, 'source'>): ChatTemplate {
  const template = compileJinja(source, { limits: options.limits, lenient: true })
  const sampler = compileJinja(source, {
    limits: { ...options.limits, maxSteps: Math.min(options.limits?.maxSteps ?? MAX_SAMPLE_STEPS, MAX_SAMPLE_STEPS) },
    lenient: true,
  })
  const attempt: Attempt = (conversation, demands) => {
    try {
      return renderFitted(sampler, fit(conversation, demands), { options, demands, request: conversation })
    } catch (error) {
      if (!SvcError.is(error)) throw error
      return undefined
    }
  }

  /** Undefined until it is found; null for a template whose demands cannot be found. */
  let turns: Demands | null | undefined
  const calls = new Map<boolean, Demands>()
  let showsTools: boolean | undefined
  const findTurnDemands = (): Demands | null => {
    if (turns === undefined) {
      const base = probeBase(attempt)
      turns = base === undefined ? null : { ...NO_DEMANDS, ...base, ...probeTurns(attempt, base) }
    }
    return turns
  }
  const findDemands = (conversation: ChatConversation): Demands => {
    const demands = findTurnDemands()
    if (demands === null) return NO_DEMANDS
    if (!conversation.messages.some((turn) => turn.role === 'tool' || hasCalls(turn))) return demands
    const withTools = hasTools(conversation)
    const found = calls.get(withTools) ?? { ...demands, ...probeCalls(attempt, { demands, withTools }) }
    calls.set(withTools, found)
    return found
  }

  return {
    render(request) {
      const demands = findDemands(request)
      const fitted = fit(request, demands)
      try {
        return renderFitted(template, fitted, { options, demands, request })
      } catch (error) {
        if (!isRefusal(error) || request.messages.length > MAX_TRIED_TURNS) throw error
        return renderTightened(template, fitted, { options, demands, request, refusal: error })
      }
    },
    get showsTools() {
      showsTools ??= probeTools(attempt, findTurnDemands() ?? NO_DEMANDS)
      return showsTools
    },
  }
}

interface RenderParts {
  readonly options: Omit<ChatTemplateOptions, 'source'>
  readonly demands: Demands
  readonly request: ChatTemplateRequest
}

/** Tries stricter forms of a refused conversation. @throws the refusal, if no form helps */
function renderTightened(
  template: CompiledJinja,
  refused: ChatConversation,
  { options, demands, request, refusal }: RenderParts & { readonly refusal: SvcError },
): string {
  let before = { fitted: refused, demands }
  for (const stricter of tighten(demands)) {
    const fitted = fit(request, stricter)
    const isSimpler = fitted.tools !== null && stricter.needsSimpleTools !== before.demands.needsSimpleTools
    if (isSame(fitted, before.fitted) && !isSimpler) continue
    before = { fitted, demands: stricter }
    try {
      return renderFitted(template, fitted, { options, demands: stricter, request })
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }
  throw refusal
}

function fit({ messages, tools }: ChatConversation, demands: Demands): ChatConversation {
  const turns = messages.map((turn) => (turn.role === 'developer' ? { ...turn, role: 'system' } : turn))
  return {
    messages: fitTurns(fitCalls(turns, demands), demands),
    tools: tools === null || tools.length === 0 ? null : fitDeclarations(tools, demands),
  }
}

function fitDeclarations(tools: readonly unknown[], { needsSimpleTools }: Demands): readonly unknown[] {
  const fitted = fitTools(tools)
  return needsSimpleTools ? simplifyTools(fitted) : fitted
}

function renderFitted(
  template: CompiledJinja,
  { messages, tools }: ChatConversation,
  { options, demands, request }: RenderParts,
): string {
  const { variables = {}, addGenerationPrompt = true, protect = (value) => value } = request
  const shownTools = protect(tools)
  return renderChatTemplate({
    template,
    messages: protect(messages.map(toTemplateTurn)),
    tools: shownTools ?? (demands.needsToolList ? [] : null),
    addGenerationPrompt,
    bosToken: options.bosToken,
    eosToken: options.eosToken,
    clock: options.clock,
    kwargs: { ...(demands.needsFunctions && toFunctionVariables(shownTools, options.clock)), ...protect(variables) },
  })
}

/** The variables of a few older templates that do not read `tools`. */
function toFunctionVariables(tools: readonly unknown[] | null, clock: Clock | undefined): Record<string, unknown> {
  return {
    functions: tools === null ? '' : writeJson(tools),
    datetime: new Date(clock?.now() ?? Date.now()).toISOString().slice(0, 10),
  }
}

function hasTools({ tools }: ChatConversation): boolean {
  return tools !== null && tools.length > 0
}

function isRefusal(error: unknown): error is SvcError {
  if (error instanceof JinjaLimitError) return error.limit === 'maxDepth'
  return SvcError.is(error) && REFUSALS.has(error.code)
}

/** Whether two forms of one conversation have the same turns. */
function isSame({ messages: a }: ChatConversation, { messages: b }: ChatConversation): boolean {
  return a.length === b.length && a.every((turn, index) => isSameTurn(turn, b[index]))
}

function isSameTurn(a: ChatTurn, b: ChatTurn | undefined): boolean {
  return a.role === b?.role && a.content === b.content && a.tool_calls?.length === b.tool_calls?.length
}
