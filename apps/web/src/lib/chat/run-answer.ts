import { ApiError } from '../api-error.ts'
import { Answer } from './answer.ts'
import { type AnswerRequest, buildBackgroundBody, buildChatBody } from './build-request.ts'
import { toFailure, toRetryDelay } from './failure.ts'
import { createFrameBatch } from './frame-batch.ts'
import { type ModelLoad, watchLoad } from './model-load.ts'
import { CutStreamError, type OpenedStream, openStream } from './open-stream.ts'
import { readChatChunk } from './read-chat-chunk.ts'
import { readResponseEvent } from './read-response-event.ts'
import type { StreamEvent } from './stream-events.ts'
import { usesTools } from './tool-calls.ts'
import type { Failure, Message } from './types.ts'
import { wait } from './wait.ts'

/** An answer while it is written. */
export interface LiveAnswer {
  readonly message: Message
  /** `waiting`: for the first piece. `calling`: tools run. `retrying`: a pause that the server asked for. */
  readonly phase: 'waiting' | 'retrying' | 'thinking' | 'writing' | 'calling'
  /** Time when the request was sent, in milliseconds since 1970. */
  readonly startedAt: number
  /** Pieces that came so far. */
  readonly pieces: number
  /** Set while `retrying`: when the next try begins, and why it has to wait. */
  readonly retry?: { readonly at: number; readonly failure: Failure } | undefined
  /** Progress of the model's load, while the server loads it. */
  readonly load?: ModelLoad | undefined
}

/** Parts of the run of an answer. */
export interface AnswerRun {
  /** The empty message, or a message to continue. */
  readonly message: Message
  readonly request: AnswerRequest
  /** Whether the message is on the server already and is only followed. */
  readonly isResumed?: boolean
  readonly signal: AbortSignal
  /** Called at most once per animation frame. */
  readonly publish: (live: LiveAnswer) => void
}

/** Tries of one request while its model loads; other pauses are waited for once. */
const MAX_LOADING_TRIES = 200
/** Pauses before the next requests for an answer that the server continues to write. */
const RESUME_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000, 30_000]

/**
 * Runs one answer to its end, also to a failure.
 *
 * @returns the finished message; its `state` and `failure` say how it ended
 */
export async function runAnswer(run: AnswerRun): Promise<Message> {
  const { signal, request } = run
  let retry: LiveAnswer['retry']
  for (let tries = 0; ; tries++) {
    const attempt = new Attempt(run, retry)
    try {
      return await attempt.finish()
    } catch (error) {
      if (signal.aborted) {
        // a retry that is called off leaves the reason for it
        const failure = retry === undefined || attempt.hasBegun ? undefined : retry.failure
        return attempt.end({ state: failure === undefined ? 'stopped' : 'failed', failure })
      }
      const failure = toFailure(error, attempt.correlationId)
      const delay = attempt.hasBegun ? undefined : toRetryDelay(failure)
      const isAllowed = failure.code === 'model_loading' ? tries < MAX_LOADING_TRIES : tries < 1
      if (delay === undefined || !isAllowed) {
        const isCut = attempt.hasBegun && error instanceof CutStreamError
        return attempt.end({ state: isCut ? 'interrupted' : 'failed', failure })
      }
      retry = { at: Date.now() + delay, failure }
      const stopWatching =
        failure.code === 'model_loading'
          ? watchLoad(request.model, (load) => attempt.show({ phase: 'retrying', retry, load }))
          : () => {}
      attempt.show({ phase: 'retrying', retry })
      const isOver = await wait(delay, signal)
      stopWatching()
      if (!isOver) return attempt.end({ state: 'failed', failure })
    }
  }
}

/** Whether the server runs tools of an answer at this moment. */
function isCalling({ toolCalls }: Message): boolean {
  return toolCalls.some(({ isStarted, result }) => isStarted === true && result === undefined)
}

/** One try of a request. */
class Attempt {
  readonly #run: AnswerRun
  readonly #answer: Answer
  readonly #startedAt = Date.now()
  readonly #batch: ReturnType<typeof createFrameBatch>
  #load: ModelLoad | undefined
  #correlationId: string | undefined

  constructor(run: AnswerRun, retry: LiveAnswer['retry']) {
    this.#run = run
    this.#answer = new Answer(run.message, performance.now())
    this.#batch = createFrameBatch(() => this.show({}))
    this.show({ phase: 'waiting', retry })
  }

  get hasBegun(): boolean {
    return this.#answer.hasBegun
  }

  /** Joins the stream that was opened last with its trace. */
  get correlationId(): string | undefined {
    return this.#correlationId
  }

  show(extra: Partial<LiveAnswer>): void {
    const { message, isThinking, hasBegun, pieces } = this.#answer
    const phase = isCalling(message) ? 'calling' : hasBegun ? (isThinking ? 'thinking' : 'writing') : 'waiting'
    const load = hasBegun ? undefined : this.#load
    this.#run.publish({ message, phase, startedAt: this.#startedAt, pieces, load, ...extra })
  }

  end(end: Pick<Message, 'state'> & Partial<Message>): Message {
    this.#batch.flush()
    return this.#answer.finish(end, performance.now())
  }

  /** Reads the stream to its end. @throws the error that broke it off */
  async finish(): Promise<Message> {
    const { request, isResumed = false, signal } = this.#run
    if (isResumed) await this.#follow()
    else if (request.settings.isBackground && !usesTools(request.settings)) {
      try {
        await this.#read(() => openStream('/v1/responses', buildBackgroundBody(request), signal), readResponseEvent)
      } catch (error) {
        if (!(error instanceof CutStreamError) || this.#responseId === '') throw error
        await this.#follow()
      }
    } else {
      await this.#read(() => openStream('/v1/chat/completions', buildChatBody(request), signal), readChatChunk)
    }
    const { failure } = this.#answer
    if (failure === undefined) return this.end({ state: 'done', failure: undefined })
    const { message, code } = failure
    const { correlationId } = this
    return this.end({ state: 'failed', failure: { message, status: 200, code, correlationId, at: Date.now() } })
  }

  get #responseId(): string {
    return this.#answer.message.background?.responseId ?? ''
  }

  /** Follows an answer that the server continues to write, and comes back to it when the connection is cut. */
  async #follow(): Promise<void> {
    const { signal } = this.#run
    for (let cuts = 0; ; cuts++) {
      const { responseId, lastSequence } = this.#answer.message.background ?? { responseId: '', lastSequence: -1 }
      const path = `/v1/responses/${encodeURIComponent(responseId)}/events?starting_after=${lastSequence}`
      try {
        return await this.#read(() => openStream(path, undefined, signal), readResponseEvent)
      } catch (error) {
        const isCut = error instanceof CutStreamError || (error instanceof ApiError && error.status === 0)
        const delay = RESUME_MS[cuts]
        if (!isCut || delay === undefined || !(await wait(delay, signal))) throw error
      }
    }
  }

  async #read(open: () => Promise<OpenedStream>, read: (frame: unknown) => readonly StreamEvent[]): Promise<void> {
    const stopWatching = watchLoad(this.#run.request.model, (load) => {
      this.#load = load
      this.#batch.request()
    })
    try {
      const { servedModel, correlationId, serverFaults, frames } = await open()
      this.#correlationId = correlationId
      if (servedModel !== undefined) this.#answer.apply({ type: 'model', name: servedModel }, performance.now())
      for (const message of serverFaults) this.#answer.apply({ type: 'server-fault', message }, performance.now())
      for await (const batch of frames) {
        const now = performance.now()
        for (const frame of batch) for (const event of read(frame)) this.#answer.apply(event, now)
        if (this.#answer.hasBegun) stopWatching()
        this.#batch.request()
      }
    } finally {
      stopWatching()
    }
  }
}
