import { SvcError, toSvcError } from '@svc/errors'
import type { ResponseEvent, ResponseInputItem, ResponseRequest, ResponseResource } from '@svc/wire/responses'
import { encodeSseJson } from '@svc/wire/sse'
import type { ReplyWriter } from '../../../inference/core/ports.ts'
import type { Clock } from '../../../ports.ts'
import { createEventLog } from '../../../responses/event-log.ts'
import type { LiveResponse, LiveResponses } from '../../../responses/live-responses.ts'
import type { ResponseStore, StoredResponse } from '../../../responses/stored-response.ts'
import { newResponseId } from './ids.ts'
import { newResource } from './resource.ts'
import { type ResponseRun, startRun } from './run.ts'

/** Number of events of a background run that may be unsaved. */
const UNSAVED_EVENTS = 64

/** Options of {@link createRecording}. */
export interface RecordingParts {
  readonly store: ResponseStore
  readonly live: LiveResponses
  readonly clock: Clock
  /** Id of the requesting principal. */
  readonly owner: string
  /** Ends the request when the response is stopped. */
  readonly stop: (reason: SvcError) => void
  /** Called once the response runs in the background and its client can be answered. */
  readonly onDetached: (response: LiveResponse) => void
}

/** The checked request of a response. */
export interface AskedResponse {
  readonly asked: ResponseRequest
  readonly input: readonly ResponseInputItem[]
  /** The name that the client asked for. */
  readonly model: string
}

/** The events of one response on their way to its client and to the store. */
export interface ResponseRecording {
  readonly run: ResponseRun
  /** Shows the response to its readers, once nothing but the model can refuse the request. */
  begin(): Promise<void>
  /** Gives the present response; undefined until it is shown. */
  current(): StoredResponse | undefined
  /** Encodes events and keeps their frames for readers and the store. */
  encode(events: readonly ResponseEvent[]): string
  /** Wraps the writer of the client: events are stored before they are sent. */
  record(writer: ReplyWriter): ReplyWriter
  /** Ends the response if the request left it open. */
  settle(thrown: unknown): Promise<void>
}

/** Creates a recording that readers do not see yet. */
export function createRecording({ asked, input, model }: AskedResponse, parts: RecordingParts): ResponseRecording {
  const { store, live, clock, owner } = parts
  const log = createEventLog()
  const createdAt = clock.now()
  const isStored = asked.store ?? true
  const isBackground = asked.background ?? false
  const isStreamed = asked.stream === true
  const facts = { id: newResponseId(), model, created: Math.floor(createdAt / 1000), store: isStored }
  const run = startRun({ resource: newResource(asked, facts), now: () => clock.now() })
  let isShown = false
  /** Frames that readers have not seen. */
  let pending: string[] = []
  /** Number of events in the store. */
  let saved = 0
  let isSaved = false

  const toStored = (): StoredResponse => ({ resource: run.resource, input, streamed: isStreamed })

  function encode(events: readonly ResponseEvent[]): string {
    const frames = events.map((event) => encodeSseJson(event, event.type))
    if (isStored && isStreamed) pending.push(...frames)
    return frames.join('')
  }

  /** Stores the finished response and then shows its end to readers; runs once. */
  function save(): Promise<void> {
    if (isSaved) return Promise.resolve()
    isSaved = true
    return saveNow().finally(() => {
      log.end()
      live.remove(run.resource.id)
    })
  }

  async function saveNow(): Promise<void> {
    if (!isStored) return
    const last = pending
    pending = []
    if (isBackground) {
      await store.finish(run.resource, { firstSequence: saved, frames: [...log.frames(saved), ...last] })
    } else {
      await store.insert({ ...toStored(), owner, createdAt }, [...log.frames(), ...last])
    }
    log.publish(last)
  }

  /** Shows pending events to readers. Those of a background run are stored from time to time. */
  async function publish(): Promise<void> {
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
    encode(error === undefined ? run.cancel() : run.fail(error))
    parts.stop(error ?? new SvcError('cancelled', 'the response was cancelled', { code: 'response_cancelled' }))
    await save()
    return run.resource
  }

  const toLive = (): LiveResponse => ({
    id: run.resource.id,
    owner,
    background: isBackground,
    current: toStored,
    follow: log.follow,
    stop,
  })

  return {
    run,
    encode,
    current: () => (isShown ? toStored() : undefined),
    async begin() {
      isShown = true
      if (!isStored) return
      const response = toLive()
      if (isBackground) {
        await store.insert({ ...toStored(), owner, createdAt }, [])
        encode(run.open())
        await publish()
      }
      live.add(response)
      if (isBackground) parts.onDetached(response)
    },
    record: (writer) => recordWrites(isBackground ? undefined : writer, { publish, save }),
    async settle(thrown) {
      if (!isShown) return
      const hasBegun = log.length > 0 || pending.length > 0
      if (!run.hasEnded && isBackground) encode(run.fail(toSvcError(thrown)))
      else if (!run.hasEnded && hasBegun) encode(run.cancel())
      if (run.hasEnded) await save()
      else live.remove(run.resource.id)
    },
  }
}

/**
 * Creates a writer that stores before it sends. @param writer the client's; undefined when no client reads the reply
 */
function recordWrites(
  writer: ReplyWriter | undefined,
  { publish, save }: { readonly publish: () => Promise<void>; readonly save: () => Promise<void> },
): ReplyWriter {
  return {
    get started() {
      return writer?.started ?? false
    },
    get isGone() {
      return writer?.isGone ?? false
    },
    // Recordings consist of events, never of relayed bytes.
    relayTarget: undefined,
    async json(status, value, headers) {
      await save()
      await writer?.json(status, value, headers)
    },
    startStream: (contentType, headers, status) => writer?.startStream(contentType, headers, status),
    async write(frame) {
      await publish()
      await writer?.write(frame)
    },
    end: () => writer?.end(),
  }
}

function tooManyEvents(): SvcError {
  return new SvcError('too_large', 'the response has more events than can be kept', { code: 'too_many_events' })
}
