import type { ModelOptions, PredictOptions } from '@svc/backend-client/proto'
import { assertModelIdentity, type HandlerContext, modelNotLoaded, StatusError } from '@svc/backend-kit'
import { chooseBehaviour, collectRequestText } from './behaviour.ts'
import { findMagicBehaviour } from './magic-prompts.ts'
import { readLoadScript } from './read-script.ts'
import type { CallRecord, Recorder } from './recorder.ts'
import { type MockBehaviour, type MockScript, STATUS_CODES } from './script.ts'
import type { MockContext, MockState } from './state.ts'
import { misbehave, wait } from './steps.ts'
import { replaceResult } from './write-result.ts'

/** State that scripted calls share. */
export interface Scripting {
  readonly mock: MockState
  readonly recorder: Recorder
  /** The script before any load. */
  readonly startScript: MockScript
}

type Answer = (input: unknown, context: MockContext) => unknown

/** A call in progress. */
interface Begun {
  readonly context: MockContext
  readonly record: CallRecord
}

/** Rpcs that need no model. */
const WITHOUT_MODEL = new Set([
  'Health',
  'LoadModel',
  'Free',
  'Status',
  'GetMetrics',
  'Capabilities',
  'StartFineTune',
  'FineTuneProgress',
  'StopFineTune',
  'ListCheckpoints',
  'ExportModel',
  'StartQuantization',
  'QuantizationProgress',
  'StopQuantization',
])

/** Wraps an answer with the script: delays, failures, crashes, records. */
export function scriptUnary(rpc: string, answer: Answer, scripting: Scripting) {
  return async (request: unknown, context: HandlerContext): Promise<unknown> => {
    if (rpc === 'LoadModel') readScript(request as ModelOptions, scripting)
    const begun = begin(rpc, request, { context, scripting })
    const { behaviour, signal } = begun.context
    return follow(begun, async () => {
      await wait(behaviour.delayMs ?? 0, signal)
      await misbehave(atOnce(behaviour), 0, signal)
      check(rpc, request, scripting.mock)
      if (behaviour.refuse !== undefined) return { success: false, message: behaviour.refuse }
      const reply = await answer(request, begun.context)
      if (behaviour.writes !== undefined) replaceResult(toDestination(request), behaviour.writes)
      return behaviour.answer ? Object.assign({}, reply, behaviour.answer) : reply
    })
  }
}

function toDestination(request: unknown): string {
  const { dst = '' } = request as { readonly dst?: string }
  return dst
}

/** Wraps a stream of answers in the same way. */
export function scriptStream(rpc: string, answer: Answer, scripting: Scripting) {
  return async function* (input: unknown, context: HandlerContext): AsyncGenerator<unknown> {
    const { record, context: inner } = begin(rpc, input, { context, scripting })
    const { behaviour, signal } = inner
    let pieces = 0
    let outcome: 'ok' | 'failed' = 'failed'
    try {
      await wait(behaviour.delayMs ?? 0, signal)
      await misbehave(behaviour, 0, signal)
      check(rpc, input, scripting.mock)
      for await (const piece of answer(input, inner) as AsyncIterable<unknown>) {
        if (pieces > 0) await wait(behaviour.pieceDelayMs ?? 0, signal)
        pieces += 1
        yield piece
        await misbehave(behaviour, pieces, signal)
      }
      outcome = 'ok'
    } finally {
      record.end(signal.aborted ? 'cancelled' : outcome, pieces)
    }
  }
}

function begin(
  rpc: string,
  input: unknown,
  { context, scripting }: { readonly context: HandlerContext; readonly scripting: Scripting },
): Begun {
  const { mock, recorder } = scripting
  const call = (mock.calls.get(rpc) ?? 0) + 1
  mock.calls.set(rpc, call)
  const isStream = Symbol.asyncIterator in Object(input)
  const request = isStream ? undefined : input
  const scripted = chooseBehaviour(mock.script, { rpc, call, text: collectRequestText(request) })
  const behaviour = { ...magic(rpc, input, { mock, scripted }), ...scripted }
  return { context: { ...context, behaviour, mock }, record: recorder.start(rpc, request, context) }
}

/** A scripted prediction takes precedence over the prompt. */
function magic(
  rpc: string,
  input: unknown,
  { mock, scripted }: { readonly mock: MockState; readonly scripted: MockBehaviour },
): MockBehaviour {
  const isPrediction = rpc === 'Predict' || rpc === 'PredictStream'
  const isScripted = ['text', 'pieces', 'toolCalls', 'reasoning'].some((key) => key in scripted)
  if (!isPrediction || isScripted) return {}
  // Both rpcs take PredictOptions.
  return findMagicBehaviour({
    request: input as PredictOptions,
    loaded: mock.loaded,
    isStream: rpc === 'PredictStream',
  })
}

function readScript({ Options }: ModelOptions, { mock, startScript }: Scripting): void {
  mock.script = readLoadScript(Options, startScript)
}

async function follow<T>({ context, record }: Begun, run: () => Promise<T>): Promise<T> {
  let outcome: 'ok' | 'failed' = 'failed'
  try {
    const result = await run()
    outcome = 'ok'
    return result
  } finally {
    record.end(context.signal.aborted ? 'cancelled' : outcome)
  }
}

/** A unary call has no pieces. */
function atOnce({ failure, crash, hang, ...rest }: MockBehaviour): MockBehaviour {
  return {
    ...rest,
    failure: failure && { ...failure, afterPieces: 0 },
    crash: crash && { ...crash, afterPieces: 0 },
    hang: hang !== undefined && hang !== false,
  }
}

function check(rpc: string, input: unknown, mock: MockState): void {
  if (mock.script.without?.includes(rpc)) {
    throw new StatusError(STATUS_CODES.UNIMPLEMENTED, `method ${rpc} not implemented`)
  }
  if (WITHOUT_MODEL.has(rpc)) return
  if (!mock.loaded) throw modelNotLoaded()
  const asked: unknown = Reflect.get(Object(input), 'ModelIdentity') ?? Reflect.get(Object(input), 'modelIdentity')
  if (typeof asked === 'string') assertModelIdentity(asked, mock.loaded.Model)
}

/** Name of the rpc behind a path. */
export function toRpcName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
