import { SvcError, toSvcError } from '@svc/errors'
import type { PredictionEvent } from '../inference/core/events.ts'
import type { InnerCaller } from '../inference/core/inner-context.ts'
import { isUsedUp } from '../inference/core/used-up.ts'
import type { HostedTool } from '../inference/tools/hosted-tool.ts'
import type { Clock } from '../ports.ts'
import type { RunModel, RunOptions } from './ask-model.ts'
import type { ClaimedJob, JobOutcome, JobStep, OpenCall } from './job.ts'
import { createJobRecorder } from './job-recorder.ts'
import type { JobStore } from './job-store.ts'
import type { MediaFetcher } from './media-fetcher.ts'
import { type RunMessage, toHistory, toUserMessage } from './run-messages.ts'
import { AGENT_LIMITS } from './task.ts'

/** What an agent adds to a run. */
export interface AgentRun {
  readonly model: string
  /** Messages before that of the user: the system prompt, and the conversation so far. */
  readonly before: readonly RunMessage[]
  readonly options: RunOptions
  /** Most turns with calls of tools; undefined = as the model's file says. */
  readonly maxTurns: number | undefined
  readonly hostedTools: readonly HostedTool[]
}

/** Parts of {@link runJob}. */
export interface RunJobParts {
  readonly store: JobStore
  readonly runModel: RunModel
  readonly media: MediaFetcher
  /** Gives the caller of an owner, with the rights of this moment; undefined for accounts that may do nothing. */
  readonly findCaller: (id: string, options: { readonly signal: AbortSignal }) => Promise<InnerCaller | undefined>
  /** Gives what an agent adds. @throws {SvcError} when it is gone */
  readonly findAgent: (name: string, job: ClaimedJob) => Promise<AgentRun>
  /** Longest time without an event, milliseconds. */
  readonly idleMs: number
  readonly clock: Clock
  /** Called with the steps that were written. */
  readonly onSteps: (job: ClaimedJob, steps: readonly JobStep[]) => void
}

/** Tools of the file of the model, where it has any. */
const MODEL_TOOLS: readonly HostedTool[] = [{ kind: 'model-servers', required: false, ifAny: true }]

/**
 * Runs a job to its end. A job that was taken over goes on behind its last recorded result.
 *
 * @throws {JobLost} once the job is no longer its own; the reason of the signal
 */
export async function runJob(job: ClaimedJob, parts: RunJobParts, signal: AbortSignal): Promise<JobOutcome> {
  const lost = job.openCalls.filter(({ repeatable }) => !repeatable)
  if (lost.length > 0) return { status: 'failed', error: describeLost(lost) }
  if (job.fence > AGENT_LIMITS.takes) {
    return { status: 'failed', error: `its server ended ${AGENT_LIMITS.takes} times while it ran: it is given up` }
  }
  const idle = createIdleLimit(parts, signal)
  try {
    const result = await run(job, parts, idle)
    return { status: 'completed', result }
  } catch (error) {
    signal.throwIfAborted()
    if (!SvcError.is(error)) throw error
    return { status: 'failed', error: toMessage(error) }
  } finally {
    idle.end()
  }
}

async function run(job: ClaimedJob, parts: RunJobParts, idle: IdleLimit): Promise<string> {
  const { store, runModel, clock } = parts
  const { signal } = idle
  const recorder = createJobRecorder(job, parts)
  const caller = await parts.findCaller(job.owner, { signal })
  if (caller === undefined) throw ownerGone()
  const agent = job.agent === '' ? undefined : await parts.findAgent(job.agent, job)
  const model = agent?.model ?? job.model
  const media = await parts.media.fetch(job.media, { signal })
  const history = job.steps === 0 ? [] : toHistory(await store.listSteps(job.id))
  const messages = [...(agent?.before ?? []), toUserMessage(job.prompt, media), ...history]
  const again = job.isTakenOver ? 'goes on after its server had ended: asks' : 'asks'
  await recorder.note(`${again} the model ${model}`, clock.now())
  const hostedTools = agent?.hostedTools ?? MODEL_TOOLS
  const checkTurns = createTurnLimit(agent?.maxTurns)
  const asked = { model, messages, options: agent?.options, hostedTools, caller, signal }
  await askPatiently(parts, signal, (onBegin) =>
    runModel.run(asked, async (events) => {
      onBegin()
      idle.renew()
      checkTurns(events)
      if (callsTools(events)) await checkOwner(caller, job, parts, signal)
      await recorder.record(events)
    }),
  )
  return recorder.finish()
}

const callsTools = (events: readonly PredictionEvent[]): boolean =>
  events.some(({ type }) => type === 'server-tool-call')

/** Ends a run whose owner has lost its rights before a tool acts in its name. */
async function checkOwner(
  before: InnerCaller,
  { owner }: ClaimedJob,
  { findCaller }: Pick<RunJobParts, 'findCaller'>,
  signal: AbortSignal,
): Promise<void> {
  const now = await findCaller(owner, { signal })
  if (now?.principal.role !== before.principal.role) throw ownerGone()
}

function ownerGone(): SvcError {
  return new SvcError('forbidden', 'the account that made it may not use this server any more', { code: 'no_owner' })
}

/** Refuses more turns with calls of tools than an agent may take. */
export function createTurnLimit(maxTurns: number | undefined): (events: readonly PredictionEvent[]) => void {
  let turns = 0
  return (events) => {
    if (!callsTools(events)) return
    turns += 1
    if (maxTurns === undefined || turns <= maxTurns) return
    const message = `the agent needs more than ${maxTurns} turns with tools (max_iterations)`
    throw new SvcError('too_large', message, { code: 'agent_turns' })
  }
}

const TRIES = 6
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000

/** Asks again while the server has no room, as long as nothing has come back. */
async function askPatiently(
  { clock }: Pick<RunJobParts, 'clock'>,
  signal: AbortSignal,
  ask: (onBegin: () => void) => Promise<void>,
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    let hasBegun = false
    try {
      await ask(() => {
        hasBegun = true
      })
      return
    } catch (error) {
      const isPassing = SvcError.is(error) && (error.kind === 'rate_limited' || error.kind === 'unavailable')
      if (!isPassing || hasBegun || tried === TRIES || isUsedUp(error)) throw error
      const pause = Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (tried - 1))
      await clock.sleep(pause, { signal })
    }
  }
}

/** An abort that comes after a time without a sign of life. */
interface IdleLimit {
  readonly signal: AbortSignal
  renew(): void
  end(): void
}

function createIdleLimit({ clock, idleMs }: Pick<RunJobParts, 'clock' | 'idleMs'>, signal: AbortSignal): IdleLimit {
  const idle = new AbortController()
  const both = AbortSignal.any([signal, idle.signal])
  let seen = clock.monotonic()
  async function watch(): Promise<void> {
    for (;;) {
      const left = seen + idleMs - clock.monotonic()
      if (left <= 0) break
      await clock.sleep(left, { signal: both })
    }
    const message = `the model or a tool gave nothing for ${Math.round(idleMs / 1000)} s (SVC_AGENT_POOL_TIMEOUT)`
    idle.abort(new SvcError('timeout', message, { code: 'agent_timeout' }))
  }
  if (idleMs > 0) watch().catch(() => undefined)
  return {
    signal: both,
    renew() {
      seen = clock.monotonic()
    },
    end: () => idle.abort(),
  }
}

/** Says what may have happened, for calls that must not be repeated unseen. */
function describeLost(calls: readonly OpenCall[]): string {
  const names = calls.map(({ tool, server }) => `"${tool}" of the server "${server}"`)
  const [tool, was] = names.length === 1 ? ['the tool', 'was'] : ['the tools', 'were']
  return `the server ended while ${tool} ${names.join(', ')} ${was} running: the call may have happened, and was not repeated`
}

/** Failures of the server itself are named only in the log. */
function toMessage(thrown: SvcError): string {
  const { kind, code, message } = toSvcError(thrown)
  return kind === 'internal' && code !== 'mcp_iteration_limit' ? 'the server failed to run the job' : message
}
