import { findPrefilledToken, toKnownTools } from '@svc/reply-parser'
import { compileStructuredOutput, createToolGrammar, describeLeftOut } from '@svc/structured-output'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { continuesText } from '../../catalog/usecases.ts'
import type { PredictionWarning } from '../core/events.ts'
import type { ChatRequest, CompletionRequest, GenerationRequest } from '../core/request.ts'
import { thinkingIsOff } from '../engine/to-predict-options.ts'
import { joinTokens } from '../operations/detokenize.ts'
import { createReplyFinisher, type ReplyFinisher } from '../prompt/finish/reply-finisher.ts'
import type { ReplyRuleBook } from '../prompt/finish/reply-rules.ts'
import type { PromptBuilder } from '../prompt/prompt-builder.ts'
import { selectTools, type ToolSelection } from '../prompt/select-tools.ts'
import { type AnswerCheck, type CallCheck, createAnswerCheck, createCallCheck } from './check-answer.ts'
import type { CompileCache } from './compile-cache.ts'
import type { ModelFacts, ModelFactsReader } from './model-facts.ts'
import type { PredictionContext } from './prediction-context.ts'
import { createPromptReader, type ReadPrompt } from './read-prompt.ts'
import type { CallReading, ReplyTextOptions } from './reply-text.ts'

/** Plan for one prompt and the reading of its answers. */
export interface Plan {
  /** Text to continue. Absent: the backend writes the prompt from the messages. */
  readonly prompt?: string | undefined
  /** Form of the answer, as a grammar of llama.cpp. @default the model's own */
  readonly grammar?: string | undefined
  /** Whether the form applies only after the model begins a call. @default false */
  readonly grammarMayWait?: boolean | undefined
  /** Warnings that the reply carries. @default none */
  readonly warnings?: readonly PredictionWarning[] | undefined
  /** Reads the text of each choice. */
  readonly reading: Omit<ReplyTextOptions, 'stream' | 'finisher'>
  /** Whether the text is read here even when the backend has parsed it. @default false */
  readonly prefersText?: boolean | undefined
  /** Whether more than one call counts. @default true */
  readonly parallel?: boolean | undefined
  /** Creates the finisher of one choice. @default the text stays as the model wrote it */
  readonly finisher?: (() => ReplyFinisher) | undefined
  /** Checks a complete answer. @throws SvcError when it does not match the requested form */
  readonly check?: AnswerCheck | undefined
  /** Checks a complete call. @throws SvcError when the tool does not take its arguments */
  readonly checkCall?: CallCheck | undefined
  /** Reads the log-probabilities of the prompt, which then precedes the answer. @default not wanted */
  readonly readPrompt?: (() => Promise<ReadPrompt>) | undefined
  /** Whether the model continues the prompt. @default true */
  readonly generates?: boolean | undefined
}

/** Plans a request, with one plan for each prompt. */
export type PlanPrediction = (request: GenerationRequest, context: PredictionContext) => Promise<readonly Plan[]>

/** Options of {@link createPlanner}. */
export interface PlannerOptions {
  readonly prompts: PromptBuilder
  readonly facts: ModelFactsReader
  readonly rules: ReplyRuleBook
  readonly grammars: CompileCache
}

/** Plans chats with the templates and tools of the model, completions with its `completion` template. */
export function createPlanner(options: PlannerOptions): PlanPrediction {
  return (request, context) =>
    request.kind === 'chat' ? planChat(request, context, options) : planCompletion(request, context, options)
}

async function planChat(
  request: ChatRequest,
  { model, client, signal }: PredictionContext,
  { prompts, facts, rules, grammars }: PlannerOptions,
): Promise<readonly [Plan]> {
  const reading = facts.read(client, { model, signal })
  const known = reading instanceof Promise ? await reading : reading
  const writing = prompts.chat(model, request, { signal, mediaMarker: known.mediaMarker })
  const written = writing instanceof Promise ? await writing : writing
  const tools = selectTools(model, request)
  const prompt = written.mode === 'prompt' ? written.prompt : undefined
  const echo = toEcho(prompt, request, model)
  const form = planForm(request, model, { tools, facts: known, grammars })
  const plan: Plan = {
    prompt,
    warnings: [
      ...listWarnings(model, {
        hidesTools:
          written.mode === 'prompt' ? written.hidesTools === true : tools.isActive && known.showsTools === false,
      }),
      ...(form.warnings ?? []),
    ],
    prefersText: saysHowToRead(model),
    parallel: request.parallelToolCalls,
    grammar: form.grammar,
    grammarMayWait: form.grammarMayWait,
    check: checkAfterEcho(form.check, echo),
    checkCall: form.checkCall,
    reading: {
      reasoning: model.reasoning,
      promptEndsInside: findStart(prompt ?? known.renderedTemplate, request, model),
      calls: tools.isActive ? readCalls(request, { model, tools, facts: known }) : undefined,
    },
    finisher: () => createReplyFinisher(rules.findRules(model), { echo }),
  }
  return [plan]
}

/** Warns where a prompt lacks the chat form or the tools that the client expects it to show. */
function listWarnings(
  model: ModelConfig,
  { hidesTools }: { readonly hidesTools: boolean },
): readonly PredictionWarning[] {
  const warnings: PredictionWarning[] = []
  if (continuesText(model)) {
    const message = 'the model has no chat template: it continues the text of the messages'
    warnings.push({ type: 'warning', code: 'no_chat_template', message })
  }
  if (hidesTools) {
    const message = 'the chat template of the model shows no tools'
    warnings.push({ type: 'warning', code: 'tools_not_shown', message })
  }
  return warnings
}

/** Inputs of a chat's form beside request and model. */
interface FormParts {
  readonly tools: ToolSelection
  readonly facts: ModelFacts
  readonly grammars: CompileCache
}

/**
 * Chooses the form of a chat's answer. With tools no grammar holds the answer, because it would forbid calls; the
 * answer is checked when complete.
 */
function planForm(
  request: ChatRequest,
  model: ModelConfig,
  { tools, facts, grammars }: FormParts,
): Pick<Plan, 'grammar' | 'grammarMayWait' | 'check' | 'checkCall' | 'warnings'> {
  const form = planAnswer(request, model, grammars)
  if (!tools.isActive) return form
  if (!tools.needsGrammar && !(tools.mustCall && facts.takesGrammarWithTools)) return { check: form.check }
  const { functions, answerTool } = tools
  const input = { functions, answerTool, settings: model.function, parallel: request.parallelToolCalls }
  const { grammar, check, leftOut } = grammars.get(['tools', input], () => createToolGrammar(input))
  const isStrict = functions.some(({ strict }) => strict)
  return {
    grammar,
    grammarMayWait: !tools.mustCall,
    check: form.check,
    checkCall: isStrict ? createCallCheck(check) : undefined,
    warnings:
      leftOut.length > 0
        ? [{ type: 'warning', code: 'schema_left_out', message: describeLeftOut(leftOut) }]
        : undefined,
  }
}

function planAnswer(
  { structuredOutput, generation }: GenerationRequest,
  { function: settings }: ModelConfig,
  grammars: CompileCache,
): Pick<Plan, 'grammar' | 'check'> {
  if (structuredOutput === undefined) return {}
  const { grammar, check } = grammars.get(['answer', structuredOutput, settings], () =>
    compileStructuredOutput(structuredOutput, settings),
  )
  const mayBeCut = (generation.stop?.length ?? 0) > 0
  return { grammar, check: check && createAnswerCheck(check, { mayBeCut }) }
}

/** Finds the start tag of reasoning at the end of the prompt. A template that turns thinking off writes none. */
function findStart(prompt: string, request: ChatRequest, model: ModelConfig): string | undefined {
  return thinkingIsOff(model, request) ? undefined : findPrefilledToken(prompt, model.reasoning)
}

/** Whether the model file has its own rules for reasoning or calls, which no backend knows. */
function saysHowToRead({ reasoning, function: calls }: ModelConfig): boolean {
  const lists = [
    reasoning.tagPairs,
    reasoning.thinkingStartTokens,
    calls.responseRegex,
    calls.jsonRegexMatch,
    calls.argumentRegex,
    calls.replaceFunctionResults,
    calls.replaceLlmResults,
    calls.captureLlmResults,
  ]
  const words = [calls.xmlFormatPreset, calls.functionNameKey, calls.functionArgumentsKey]
  return (
    reasoning.disable === true ||
    calls.xmlFormat !== undefined ||
    lists.some((list) => list !== undefined && list.length > 0) ||
    words.some((word) => word !== undefined && word !== '')
  )
}

function readCalls(
  request: ChatRequest,
  { model, facts, tools }: { readonly model: ModelConfig; readonly facts: ModelFacts; readonly tools: ToolSelection },
): CallReading {
  const callable = new Set(tools.functions.map(({ name }) => name))
  return {
    settings: model.function,
    markers: facts.markers,
    known: toKnownTools(request.tools ?? []).filter(({ name }) => callable.has(name)),
  }
}

async function planCompletion(
  request: CompletionRequest,
  { model, client, signal }: PredictionContext,
  { prompts, rules, grammars }: PlannerOptions,
): Promise<readonly Plan[]> {
  const form = planAnswer(request, model, grammars)
  const plans: Plan[] = []
  for (const prompt of request.prompts) {
    const text = typeof prompt === 'string' ? prompt : await joinTokens(prompt, { client, signal })
    const { promptLogprobs: alternatives, generates } = request
    const echo = alternatives === undefined ? toEcho(text, request, model) : undefined
    plans.push({
      generates,
      readPrompt:
        alternatives === undefined
          ? undefined
          : createPromptReader({ client, model, prompt, text, alternatives, signal }),
      prompt: typeof prompt === 'string' && request.raw !== true ? writeText(text, request, { model, prompts }) : text,
      grammar: form.grammar,
      check: checkAfterEcho(form.check, echo),
      reading: { reasoning: { disable: true } },
      finisher: () => createReplyFinisher(rules.findRules(model), { echo }),
    })
  }
  return plans
}

/**
 * Writes a text with the model's template for edits when the request has an instruction, else with that for
 * completions.
 */
function writeText(
  text: string,
  { instruction, reasoningEffort, metadata }: CompletionRequest,
  { model, prompts }: { readonly model: ModelConfig; readonly prompts: PromptBuilder },
): string {
  const extras = { reasoningEffort, metadata }
  return instruction === undefined
    ? prompts.completion(model, text, extras)
    : prompts.edit(model, { input: text, instruction, ...extras })
}

function toEcho(prompt: string | undefined, { echo }: GenerationRequest, model: ModelConfig): string | undefined {
  return (echo ?? model.parameters.echo) === true ? prompt : undefined
}

/** Checks an answer that is preceded by its prompt. The prompt need not match the form. */
function checkAfterEcho(check: AnswerCheck | undefined, echo = ''): AnswerCheck | undefined {
  if (check === undefined || echo === '') return check
  return (answer) => check(answer.startsWith(echo) ? answer.slice(echo.length) : answer)
}
