import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { estimateText, OPEN_ANSWER } from '../core/estimate-tokens.ts'
import { addUsage, type FinishReason, NO_USAGE, type PredictionStep, type Usage } from '../core/events.ts'
import type { ModelCalls, ModelTask } from '../core/model-calls.ts'
import type { ChatRequest, ToolCall } from '../core/request.ts'
import { isUsedUp } from '../core/used-up.ts'
import { addTexts } from './add-texts.ts'
import { answerPending, appendTurn, type Conversation, type FilteredAnswer, offerTools } from './conversation.ts'
import { DEFAULT_TURNS, type LoopLimits } from './limits.ts'
import type { OpenedTools } from './open-tools.ts'
import { findPendingCalls } from './pending-calls.ts'
import { type OwnCalls, readTurn, type Turn } from './read-turn.ts'
import type { ResultMedia } from './result-media.ts'
import { type CallAnswer, runCalls, type ServerCall } from './run-calls.ts'

/** A request whose tools are open. */
export interface OpenLoop {
  readonly calls: ModelCalls
  readonly request: ChatRequest
  readonly model: ModelConfig
  readonly task: ModelTask
  readonly opened: OpenedTools
  readonly own: OwnCalls
  readonly media: ResultMedia
  readonly limits: LoopLimits
  readonly signal: AbortSignal
}

type Steps<Result> = AsyncGenerator<readonly PredictionStep[], Result>

/** A loop while it runs. */
interface RunningLoop extends OpenLoop {
  /** Bytes of text that results may still have. */
  bytesLeft: number
  usage: Usage
  /** Ids of calls so far. */
  readonly ids: Set<string>
}

/**
 * Asks the model until it calls no tool of this server. A turn that also calls tools of the caller, or a tool that needs
 * consent, ends the reply once its other calls have run.
 *
 * @throws {SvcError} `internal` with the words of the contract when the turns of the model are used up; what the model,
 *   the filter and the servers of the tools throw
 */
export async function* runTurns(open: OpenLoop): Steps<void> {
  const { request, model, task, opened } = open
  const loop: RunningLoop = { ...open, bytesLeft: open.limits.totalBytes, usage: NO_USAGE, ids: listIds(request) }
  checkChoice(request, loop)
  const offered = offerTools({ request, upstreamChat: task.upstreamChat }, opened.tools.values())
  let conversation = await addTexts(offered, { opened, turns: task.turns })
  conversation = yield* answerFirst(conversation, loop)
  const turns = model.agent.maxIterations ?? DEFAULT_TURNS
  for (let left = Math.max(1, turns); ; left -= 1) {
    const turn = withIds(yield* askModel(conversation, loop), loop)
    const sorted = sortCalls(turn, loop)
    const isLast = sorted.own > 0 || sorted.asked.length > 0
    if (sorted.served.length === 0 && !isLast) return yield endChoice(turn, turn.finishReason, loop)
    if (left === 1 && !isLast) throw usedUp()
    const answers = yield* answer(sorted.served, loop)
    if (isLast) {
      return yield [
        ...sorted.asked.map((call) => toCallStep('server-tool-approval', call)),
        ...endChoice(turn, 'tool_calls', loop),
      ]
    }
    conversation = appendTurn(conversation, turn, await filterAnswers(answers, loop))
    if (!(await reserve(turn, answers, loop))) return yield [QUOTA_WARNING, ...endChoice(turn, 'length', loop)]
  }
}

async function* askModel({ request, upstreamChat }: Conversation, loop: RunningLoop): Steps<Turn> {
  const { calls, model, task, own } = loop
  const turn = yield* readTurn(calls.predict(request, model, { ...task, upstreamChat }), own)
  loop.usage = addUsage(loop.usage, turn.usage)
  loop.signal.throwIfAborted()
  return turn
}

/** The ids that a new call may not have: a consent is to one call, and clients may send it again with the next request. */
function listIds({ messages, approvals }: ChatRequest): Set<string> {
  const known = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
  return new Set([...known, ...(approvals?.keys() ?? [])])
}

/** Gives each call an id of its own: some models give none, or one id twice. */
function withIds(turn: Turn, { ids }: RunningLoop): Turn {
  const calls = turn.calls.map((call) => {
    const id = call.id === '' || ids.has(call.id) ? `call_${randomUUID()}` : call.id
    ids.add(id)
    return { ...call, id }
  })
  return { ...turn, calls }
}

interface SortedCalls {
  /** Calls that are answered now. */
  readonly served: readonly ServerCall[]
  /** Calls that wait for consent. */
  readonly asked: readonly ServerCall[]
  /** Number of calls of the caller's tools. */
  readonly own: number
}

function sortCalls({ calls, finishReason }: Turn, { own, opened, task }: RunningLoop): SortedCalls {
  // The arguments of an answer that was cut off are incomplete.
  const isCut = finishReason === 'length' || finishReason === 'content_filter'
  const foreign = isCut ? [] : calls.filter(({ name }) => !own.names.has(name))
  const all = foreign.map((call): ServerCall => toServerCall(call, { opened, task }))
  return {
    served: all.filter(({ tool }) => tool?.approval !== 'ask'),
    asked: all.filter(({ tool }) => tool?.approval === 'ask'),
    own: isCut ? 0 : calls.length - foreign.length,
  }
}

function toServerCall(call: ToolCall, { opened, task }: Pick<RunningLoop, 'opened' | 'task'>): ServerCall {
  const text = call.arguments.trim() === '' ? '{}' : call.arguments
  return { call, arguments: task.turns.restore(text, 'json'), tool: opened.tools.get(call.name) }
}

/** Answers the calls that ended an earlier reply, as far as their caller has agreed to them. */
async function* answerFirst(conversation: Conversation, loop: RunningLoop): Steps<Conversation> {
  const { request, opened } = loop
  const pending = findPendingCalls(conversation.request.messages, (name) => opened.tools.has(name))
  if (pending === undefined) return conversation
  const calls = pending.calls.map((call): ServerCall => {
    if (call.arguments.length > MAX_ARGUMENTS) throw tooLong(call.name)
    const isAgreed = request.approvals?.get(call.id) === true
    return { ...toServerCall(call, loop), refusal: isAgreed ? undefined : 'the caller declined this call' }
  })
  const answers = yield* answer(calls, loop)
  return answerPending(conversation, pending.place, await filterAnswers(answers, loop))
}

/** Most characters of the arguments of a call that a request sends back: they are read at once. */
const MAX_ARGUMENTS = 1024 * 1024

function tooLong(name: string): SvcError {
  const message = `messages: the arguments of a call of ${name} have more than ${MAX_ARGUMENTS} characters`
  return new SvcError('invalid_request', message, { code: 'arguments_too_long', details: { param: 'messages' } })
}

/** Shows the calls, runs them once the consumer goes on, and shows their results. */
async function* answer(calls: readonly ServerCall[], loop: RunningLoop): Steps<readonly CallAnswer[]> {
  if (calls.length === 0) return []
  yield calls.map((call) => toCallStep('server-tool-call', call))
  const { limits, media, signal, bytesLeft } = loop
  const answers = await runCalls(calls, { limits, bytesLeft, accepts: media.accepts, signal })
  for (const { text } of answers) loop.bytesLeft -= Buffer.byteLength(text)
  yield answers.map(toResultStep)
  signal.throwIfAborted()
  return answers
}

function toCallStep(
  type: 'server-tool-call' | 'server-tool-approval',
  { call, tool, arguments: args }: ServerCall,
): PredictionStep {
  return {
    type,
    choice: 0,
    id: call.id,
    source: tool?.source ?? 'mcp',
    server: tool?.server ?? '',
    tool: tool?.tool ?? call.name,
    name: call.name,
    arguments: args,
    hints: tool?.hints ?? {},
  }
}

function toResultStep({ of: { call, tool }, text, isError }: CallAnswer): PredictionStep {
  const source = tool?.source ?? 'mcp'
  return { type: 'server-tool-result', choice: 0, id: call.id, name: call.name, source, output: text, isError }
}

/** Reads the media of answers, and filters their texts by the policy of the request. */
async function filterAnswers(answers: readonly CallAnswer[], loop: RunningLoop): Promise<readonly FilteredAnswer[]> {
  const { media, task, signal } = loop
  const read: Awaited<ReturnType<ResultMedia['read']>>[] = []
  for (const one of answers) read.push(await media.read(one.media, { signal }))
  const texts = answers.map(({ text }, index) => [text, ...(read[index]?.notes ?? [])].join('\n'))
  const filtered = await task.turns.filter(texts)
  return answers.map(({ of: { call }, isError }, index) => ({
    call,
    text: filtered[index] ?? '',
    isError,
    media: read[index]?.media ?? [],
  }))
}

/** Reserves the tokens of the next turn. @returns whether the quota allows it */
async function reserve(turn: Turn, answers: readonly CallAnswer[], { task, request }: RunningLoop): Promise<boolean> {
  const { promptTokens, completionTokens } = turn.usage
  const before = promptTokens > 0 ? promptTokens + completionTokens : estimateText(task.bodyBytes)
  const bytes = answers.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  try {
    await task.turns.reserve(before + estimateText(bytes) + (request.generation.maxTokens || OPEN_ANSWER))
    return true
  } catch (error) {
    if (SvcError.is(error) && isUsedUp(error)) return false
    throw error
  }
}

const QUOTA_WARNING: PredictionStep = {
  type: 'warning',
  code: 'turns_ended',
  message: 'the quota of the caller allows no further turn: the reply ends with the results so far',
}

function endChoice({ stopText }: Turn, finishReason: FinishReason, { usage }: RunningLoop): readonly PredictionStep[] {
  return [
    { type: 'choice-end', choice: 0, finishReason, stopText },
    { type: 'usage', usage },
  ]
}

function usedUp(): SvcError {
  return new SvcError('internal', 'MCP iteration limit reached', {
    code: 'mcp_iteration_limit',
    details: { type: 'server_error' },
  })
}

/** Refuses a choice among tools that the request does not have. */
function checkChoice({ toolChoice }: ChatRequest, { own, opened }: RunningLoop): void {
  if (toolChoice === 'required' && own.names.size + opened.tools.size === 0) {
    throw invalidChoice('there are no tools to choose from')
  }
  if (typeof toolChoice !== 'object' || toolChoice === null) return
  const { function: chosen } = toolChoice as { readonly function?: { readonly name?: unknown } }
  const name = typeof chosen?.name === 'string' ? chosen.name : ''
  if (!own.names.has(name) && !opened.tools.has(name))
    throw invalidChoice('names a function that is not among the tools')
}

function invalidChoice(reason: string): SvcError {
  return new SvcError('invalid_request', `tool_choice: ${reason}`, {
    code: 'invalid_tool_choice',
    details: { param: 'tool_choice' },
  })
}
