import { SvcError, toSvcError } from '@svc/errors'
import type { ResponseEvent, ResponseInputItem, ResponseRequest, ResponseResource } from '@svc/wire/responses'
import { encodeSseJson } from '@svc/wire/sse'
import type { ReplyWriter } from '../../../inference/ports.ts'
import type { Clock } from '../../../ports.ts'
import { createEventLog } from '../../../responses/event-log.ts'
import type { LiveResponse, LiveResponses } from '../../../responses/live-responses.ts'
import type { ResponseStore, StoredResponse } from '../../../responses/response-store.ts'
import { newResponseId } from './ids.ts'
import { newResource } from './resource.ts'
import { type ResponseRun, startRun } from './run.ts'

/** Events of a background run that may be unsaved. */
const UNSAVED_EVENTS = 64

/** What a session needs. */
export interface SessionParts {
  readonly store: ResponseStore
  readonly live: LiveResponses
  readonly clock: Clock
  /** Id of the principal that asks. */
  readonly owner: string
  /** The name the client asked for. */
  readonly model: () => string
}

/** One request on its way to a stored response: the run, what is told of it, and where both are kept. */
export interface ResponseSession {
  /** The run; there once the request has been read. */
  readonly run: ResponseRun
  /** Resolves with the response once it runs in the background. */
  readonly detached: Promise<LiveResponse>
  /** Aborts when the response is stopped. */
  readonly stopped: AbortSignal
  /** Makes the response of a request; nobody sees it yet. */
  open(asked: ResponseRequest, input: readonly ResponseInputItem[]): void
  /** Lets the response be seen, now that the request is known to be one that can be answered. */
  begin(): Promise<void>
  /** What it is at this moment; undefined for a request that was refused before there was one. */
  current(): StoredResponse | undefined
  /** The frames of events, on their way to the client and the store. */
  frames(events: readonly ResponseEvent[]): string
  /** The client's writer; what goes through it is stored first. */
  record(writer: ReplyWriter): ReplyWriter
  /** After the pipeline: whatever it left open ends here. */
  settle(thrown: unknown): Promise<void>
}

interface SessionState {
  readonly run: ResponseRun
  readonly asked: ResponseRequest
  readonly input: readonly ResponseInputItem[]
}

/** Makes the session of one request. */
export function createSession(parts: SessionParts): ResponseSession {
  const { store, live, clock, owner } = parts
  const stopping = new AbortController()
  const log = createEventLog()
  let state: SessionState | undefined
  /** Whether somebody may have seen it. */
  let isShown = false
  let isBackground = false
  let isStored = false
  let createdAt = 0
  /** Frames that nobody has seen yet. */
  let pending: string[] = []
  /** Events that are in the store. */
  let saved = 0
  let isSaved = false
  let onDetached: (response: LiveResponse) => void = () => undefined
  const detached = new Promise<LiveResponse>((resolve) => {
    onDetached = resolve
  })

  function opened(): SessionState {
    if (state === undefined) throw new SvcError('internal', 'the request has not been read', { code: 'stage_order' })
    return state
  }

  const streamed = (): boolean => opened().asked.stream === true

  function frames(events: readonly ResponseEvent[]): string {
    const made = events.map((event) => encodeSseJson(event, event.type))
    if (isStored && streamed()) pending.push(...made)
    return made.join('')
  }

  /** Stores what the response has become, then lets readers see its end; once. */
  function save(): Promise<void> {
    if (isSaved) return Promise.resolve()
    isSaved = true
    return saveNow().finally(() => {
      log.end()
      live.remove(opened().run.resource.id)
    })
  }

  async function saveNow(): Promise<void> {
    if (!isStored) return
    const { run, input } = opened()
    const { resource } = run
    const last = pending
    pending = []
    if (isBackground) {
      await store.finish(resource, { firstSequence: saved, frames: [...log.frames(saved), ...last] })
    } else {
      const record = { resource, input, streamed: streamed(), owner, createdAt }
      await store.insert(record, [...log.frames(), ...last])
    }
    log.publish(last)
  }

  /** Shows what is pending; of a background run it is stored from time to time. */
  async function publish(): Promise<void> {
    const { run } = opened()
    if (run.hasEnded) return save()
    if (log.isFull) throw tooManyEvents()
    log.publish(pending)
    pending = []
    if (!isBackground || log.length - saved < UNSAVED_EVENTS) return
    const row = { firstSequence: saved, frames: log.frames(saved) }
    saved = log.length
    await store.appendEvents(run.resource.id, row)
  }

  async function stop(error?: SvcError): Promise<ResponseResource> {
    const { run } = opened()
    frames(error === undefined ? run.cancel() : run.fail(error))
    const reason = error ?? new SvcError('cancelled', 'the response was cancelled', { code: 'response_cancelled' })
    stopping.abort(reason)
    await save()
    return run.resource
  }

  function toLive(): LiveResponse {
    const { run, asked, input } = opened()
    return {
      id: run.resource.id,
      owner,
      background: isBackground,
      current: () => currentOf({ run, asked, input }),
      follow: log.follow,
      stop,
    }
  }

  return {
    get run() {
      return opened().run
    },
    detached,
    stopped: stopping.signal,
    frames,
    current: () => (isShown ? currentOf(opened()) : undefined),
    open(asked, input) {
      createdAt = clock.now()
      isStored = asked.store ?? true
      isBackground = asked.background ?? false
      const id = newResponseId()
      const facts = { id, model: parts.model(), created: Math.floor(createdAt / 1000), store: isStored }
      const run = startRun({ resource: newResource(asked, facts), now: () => clock.now() })
      state = { run, asked, input }
    },
    async begin() {
      const { run, input } = opened()
      isShown = true
      if (!isStored) return
      const response = toLive()
      if (isBackground) {
        await store.insert({ resource: run.resource, input, streamed: streamed(), owner, createdAt }, [])
        frames(run.open())
        await publish()
      }
      live.add(response)
      if (isBackground) onDetached(response)
    },
    record(writer) {
      return {
        get started() {
          return !isBackground && writer.started
        },
        get isGone() {
          return !isBackground && writer.isGone
        },
        // What is stored is made of events.
        relayTarget: undefined,
        setHeader(name, value) {
          if (!isBackground) writer.setHeader(name, value)
        },
        async json(status, value, headers) {
          await save()
          if (!isBackground) await writer.json(status, value, headers)
        },
        startStream(contentType, headers) {
          if (!isBackground) writer.startStream(contentType, headers)
        },
        async write(frame) {
          await publish()
          if (!isBackground) await writer.write(frame)
        },
        end() {
          if (!isBackground) writer.end()
        },
      }
    },
    async settle(thrown) {
      // refused before there was a response
      if (state === undefined || !isShown) return
      const { run } = state
      const hasBegun = log.length > 0 || pending.length > 0
      if (!run.hasEnded && isBackground) frames(run.fail(toSvcError(thrown)))
      else if (!run.hasEnded && hasBegun) frames(run.cancel())
      if (run.hasEnded) await save()
      else live.remove(run.resource.id)
    },
  }
}

function currentOf({ run, asked, input }: SessionState): StoredResponse {
  return { resource: run.resource, input, streamed: asked.stream === true }
}

function tooManyEvents(): SvcError {
  return new SvcError('too_large', 'the response has more events than can be kept', { code: 'too_many_events' })
}
