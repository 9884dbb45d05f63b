import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Clock } from '../../ports.ts'
import type { PredictionStep, StepBatches } from '../core/events.ts'
import { limitContext } from '../core/inner-context.ts'
import type { ModelCalls, ModelTask } from '../core/model-calls.ts'
import type { ChatRequest } from '../core/request.ts'
import type { MediaReader } from '../media/media-reader.ts'
import type { HostedTool } from './hosted-tool.ts'
import { LOOP_LIMITS, type LoopLimits } from './limits.ts'
import { openTools, type ToolSources } from './open-tools.ts'
import { createOwnCalls } from './read-turn.ts'
import { restoreHosted } from './restore-hosted.ts'
import { createResultMedia } from './result-media.ts'
import { runTurns } from './run-turns.ts'

/** Options of {@link createToolLoop}. */
export interface ToolLoopParts extends ToolSources {
  /** Reads the media of results for models that take them. */
  readonly media: MediaReader
  readonly clock: Pick<Clock, 'sleep'>
  /** @default {@link LOOP_LIMITS} */
  readonly limits?: LoopLimits | undefined
}

/**
 * Adds the tools that this server runs to the calls of models: a request that wants some is a loop of turns. The model
 * is asked, the tools that it calls run, and it is asked again with their results, until it calls none of them.
 */
export function createToolLoop(calls: ModelCalls, parts: ToolLoopParts): ModelCalls {
  return {
    perform: (request, model, task) => calls.perform(request, model, task),
    predict(request, model, task) {
      const hosted = request.kind === 'chat' ? selectHosted(request.hostedTools ?? [], model, parts) : []
      if (request.kind !== 'chat' || hosted.length === 0) return calls.predict(request, model, task)
      if (request.choices > 1) throw manyChoices()
      return endsAtOnce(task.context.signal, (signal) =>
        runLoop({ calls, parts, request, hosted, model, task }, signal),
      )
    },
  }
}

/** Leaves out what a model without servers does not need. */
function selectHosted(
  hosted: readonly HostedTool[],
  model: ModelConfig,
  { toolServers }: ToolSources,
): readonly HostedTool[] {
  return hosted.filter(
    (one) => !(one.kind === 'model-servers' && one.ifAny === true) || toolServers?.hasServers(model) === true,
  )
}

function manyChoices(): SvcError {
  return new SvcError('invalid_request', 'n: only one choice is possible with tools that the server runs', {
    code: 'one_choice_only',
    details: { param: 'n' },
  })
}

/** Runs a generator that ends at once when its consumer leaves, also while it waits for tools. */
function endsAtOnce(
  outer: AbortSignal,
  start: (signal: AbortSignal) => AsyncGenerator<readonly PredictionStep[], void>,
): StepBatches {
  return {
    [Symbol.asyncIterator]() {
      const stop = new AbortController()
      const source = start(AbortSignal.any([outer, stop.signal]))
      let hasEnded = false
      return {
        async next() {
          const step = await source.next()
          hasEnded ||= step.done === true
          return step
        },
        async return() {
          if (!hasEnded) {
            stop.abort(new SvcError('cancelled', 'the reply is not read any more'))
            await source.return()
          }
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** A request that wants tools of this server. */
interface LoopRequest {
  readonly calls: ModelCalls
  readonly parts: ToolLoopParts
  readonly request: ChatRequest
  readonly hosted: readonly HostedTool[]
  readonly model: ModelConfig
  readonly task: ModelTask
}

async function* runLoop(loop: LoopRequest, signal: AbortSignal): AsyncGenerator<readonly PredictionStep[], void> {
  const { limits = LOOP_LIMITS, clock } = loop.parts
  const time = limitTime(limits.totalMs, { clock, signal })
  try {
    yield* openAndRun(loop, limits, time.signal)
  } catch (error) {
    throw time.signal.aborted && !signal.aborted ? tookTooLong(error) : error
  } finally {
    time.end()
  }
}

/** @param signal aborts with the request and at the end of its time: tools and turns of the model end with it */
async function* openAndRun(
  { calls, parts, request, model, task: asked, ...loop }: LoopRequest,
  limits: LoopLimits,
  signal: AbortSignal,
): AsyncGenerator<readonly PredictionStep[], void> {
  const task: ModelTask = { ...asked, context: limitContext(asked.context, signal) }
  const hosted = restoreHosted(loop.hosted, task.turns)
  const own = createOwnCalls(request.tools)
  const opened = await openTools(hosted, parts, { model, context: task.context, signal, taken: own.names })
  const media = createResultMedia(parts.media, model, task.turns)
  try {
    if (opened.steps.length > 0) yield opened.steps
    yield* runTurns({ calls, request, model, task, opened, own, media, limits, signal })
  } finally {
    media.release()
    opened.close()
  }
}

/** The reason of the end of a wait: an abort without a reason makes an error with a stack each time. */
const ENDED = 'the loop has ended'

/** Aborts after a time. */
function limitTime(
  ms: number,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): { readonly signal: AbortSignal; end(): void } {
  const late = new AbortController()
  const ended = new AbortController()
  clock.sleep(ms, { signal: ended.signal }).then(
    () => late.abort(new SvcError('timeout', 'the tools took too long')),
    () => undefined,
  )
  return { signal: AbortSignal.any([signal, late.signal]), end: () => ended.abort(ENDED) }
}

function tookTooLong(cause: unknown): SvcError {
  return new SvcError('internal', 'failed to execute tools', {
    code: 'mcp_tools_failed',
    cause,
    details: { type: 'model_error' },
  })
}
