import { SvcError, toSvcError } from '@svc/errors'
import type { ResponseEvent, ResponseInputItem, ResponseRequest, ResponseResource } from '@svc/wire/responses'
import { encodeSseJson } from '@svc/wire/sse'
import type { ReplyWriter } from '../../../inference/core/ports.ts'
import type { Clock } from '../../../ports.ts'
import { createEventLog, type EventLog } from '../../../responses/event-log.ts'
import type { LiveResponse, LiveResponses } from '../../../responses/live-responses.ts'
import type { ResponseRecord, ResponseStore, StoredResponse } from '../../../responses/stored-response.ts'
import type { OutputOptions } from './output.ts'
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
  /** The id of the response. */
  readonly id: string
  readonly asked: ResponseRequest
  readonly input: readonly ResponseInputItem[]
  /** The name that the client asked for. */
  readonly model: string
  readonly output: OutputOptions
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
export function createRecording(
  { id, asked, input, model, output }: AskedResponse,
  parts: RecordingParts,
): ResponseRecording {
  const { store, live, clock, owner } = parts
  const createdAt = clock.now()
  const isStored = asked.store ?? true
  const isBackground = asked.background ?? false
  const isStreamed = asked.stream === true
  const facts = { id, model, created: Math.floor(createdAt / 1000), store: isStored }
  const run = startRun({ resource: newResource(asked, facts), output, now: () => clock.now() })
  const toStored = (): StoredResponse => ({ resource: run.resource, input, streamed: isStreamed })
  const toRecord = (): ResponseRecord => ({ ...toStored(), owner, createdAt })
  const events = createRecordedEvents({ store, isBackground, toRecord })
  let isShown = false
  let isSaved = false

  function encode(added: readonly ResponseEvent[]): string {
    const frames = added.map((event) => encodeSseJson(event, event.type))
    if (isStored && isStreamed) events.add(frames)
    return frames.join('')
  }

  /** Stores the finished response and then shows its end to readers; runs once. */
  async function save(): Promise<void> {
    if (isSaved) return
    isSaved = true
    try {
      if (isStored) await events.saveAll()
    } finally {
      events.log.end()
      live.remove(run.resource.id)
    }
  }

  const publish = (): Promise<void> => (run.hasEnded ? save() : events.publish())

  async function stop(error?: SvcError): Promise<ResponseResource> {
    encode(error === undefined ? run.cancel() : run.fail(error))
    parts.stop(error ?? new SvcError('cancelled', 'the response was cancelled', { code: 'response_cancelled' }))
    await save()
    return run.resource
  }

  return {
    run,
    encode,
    current: () => (isShown ? toStored() : undefined),
    async begin() {
      isShown = true
      if (!isStored) return
      const { id } = run.resource
      const { follow } = events.log
      const response: LiveResponse = { id, owner, background: isBackground, current: toStored, follow, stop }
      if (isBackground) {
        await store.insert(toRecord(), [])
        encode(run.open())
        await publish()
      }
      live.add(response)
      if (isBackground) parts.onDetached(response)
    },
    record: (writer) => recordWrites(isBackground ? undefined : writer, { publish, save }),
    async settle(thrown) {
      if (!isShown) return
      if (!run.hasEnded && isBackground) encode(run.fail(toSvcError(thrown)))
      else if (!run.hasEnded && events.hasBegun) encode(run.cancel())
      if (run.hasEnded) await save()
      else live.remove(run.resource.id)
    },
  }
}

/** The events of a response as frames: pending at first, then shown to readers, then in the store. */
interface RecordedEvents {
  readonly log: EventLog
  /** Whether there is an event. */
  readonly hasBegun: boolean
  /** Adds pending frames. */
  add(frames: readonly string[]): void
  /** Shows pending frames to readers. Those of a background run are stored from time to time. */
  publish(): Promise<void>
  /** Stores the response with its last frames, and then shows these to readers. */
  saveAll(): Promise<void>
}

/** Options of {@link createRecordedEvents}. */
interface RecordedEventsOptions {
  readonly store: ResponseStore
  /** Whether the response is in the store before it has ended. */
  readonly isBackground: boolean
  /** Gives the present response with its owner. */
  readonly toRecord: () => ResponseRecord
}

function createRecordedEvents({ store, isBackground, toRecord }: RecordedEventsOptions): RecordedEvents {
  const log = createEventLog()
  let pending: string[] = []
  /** Number of events in the store. */
  let saved = 0

  return {
    log,
    get hasBegun() {
      return log.length > 0 || pending.length > 0
    },
    add(frames) {
      pending.push(...frames)
    },
    async publish() {
      if (log.isFull) throw tooManyEvents()
      log.publish(pending)
      pending = []
      if (!isBackground || log.length - saved < UNSAVED_EVENTS) return
      const row = { firstSequence: saved, frames: log.frames(saved) }
      saved = log.length
      await store.appendEvents(toRecord().resource.id, row)
    },
    async saveAll() {
      const last = pending
      pending = []
      const response = toRecord()
      if (isBackground) {
        const frames = [...log.frames(saved), ...last]
        await store.finish(response.resource, { firstSequence: saved, frames })
      } else {
        await store.insert(response, [...log.frames(), ...last])
      }
      log.publish(last)
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
