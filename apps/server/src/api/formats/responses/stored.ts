import { SvcError } from '@svc/errors'
import type { ResponseContentPart, ResponseInputItem, ResponseResource } from '@svc/wire/responses'
import { nextMessage } from '../../../bus/next-message.ts'
import type { Call } from '../../../http/call.ts'
import { ALREADY_SENT, type HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { readCount } from '../../../http/read-count.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import type { LiveResponse } from '../../../responses/live-responses.ts'
import type { StoredResponse } from '../../../responses/stored-response.ts'
import { type CreateParts, sendEvents, toReader } from './create.ts'
import { badRequest, idRequired } from './errors.ts'

type Parts = Omit<CreateParts, 'core' | 'deliverTo'>

/** Longest pause between two looks at the events of a response on another server, milliseconds. */
const LOOK_MS = 500
const MAX_ITEMS = 100
const DEFAULT_ITEMS = 20

/** The response of a call, and its run when it is in this process. */
interface Found {
  readonly id: string
  readonly stored: StoredResponse
  readonly live: LiveResponse | undefined
}

async function find(call: Call, { store, live }: Parts): Promise<Found> {
  const id = call.param('id')
  if (id.trim() === '') throw idRequired()
  const reader = toReader(call)
  const running = live.get(id, reader)
  const stored = running?.current() ?? (await store.read(id, reader))
  if (stored === undefined) throw responseNotFound(id)
  return { id, stored, live: running }
}

function responseNotFound(id: string): SvcError {
  return new SvcError('not_found', `response not found: ${id}`, {
    code: 'response_not_found',
    details: { type: 'not_found', param: 'id' },
  })
}

/** Answers `GET /v1/responses/:id`; with `stream=true` its events. */
export async function getResponse(call: Call, parts: Parts): Promise<HttpReply> {
  if (call.query('stream') === 'true') return getEvents(call, parts)
  return json((await find(call, parts)).stored.resource)
}

/** Answers `GET /v1/responses/:id/events`: the events after a number, then new ones to the end. */
export async function getEvents(call: Call, parts: Parts): Promise<HttpReply> {
  const found = await find(call, parts)
  if (!found.stored.streamed) {
    throw badRequest('cannot stream a response that was not created with stream=true', 'stream')
  }
  const after = readStartingAfter(call.query('starting_after'))
  const { signal } = call
  const frames = found.live?.follow(after, { signal }) ?? replay(found.id, after, { ...parts, call })
  await sendEvents(createReplyWriter(call, { compression: parts.compression }), frames)
  return ALREADY_SENT
}

function readStartingAfter(text: string | undefined): number {
  if (text === undefined || text === '') return -1
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest('starting_after must be an integer', 'starting_after')
  return Number(text)
}

/** Replays stored events after a number; looks again with each message of the server that runs the response. */
async function* replay(
  id: string,
  after: number,
  { store, bus, clock, call }: Pick<Parts, 'store' | 'bus' | 'clock'> & { readonly call: Call },
): AsyncGenerator<string> {
  let seen = Math.max(-1, after)
  for (;;) {
    const looked = new AbortController()
    const news = nextMessage(bus, 'responses.changed', {
      isMeant: (message) => message.id === id,
      signal: AbortSignal.any([call.signal, looked.signal]),
      atMost: { ms: LOOK_MS, clock },
    })
    // It is not awaited when the response has ended.
    news.catch(() => undefined)
    try {
      const stored = await store.read(id, toReader(call))
      const isRunning = stored?.resource.status === 'queued' || stored?.resource.status === 'in_progress'
      for (let row = await store.readEvents(id, seen); row !== undefined; row = await store.readEvents(id, seen)) {
        for (const [index, frame] of row.frames.entries()) {
          if (row.firstSequence + index <= seen) continue
          seen = row.firstSequence + index
          yield frame
        }
      }
      if (!isRunning) return
      await news
    } finally {
      looked.abort()
    }
  }
}

/** Answers `POST /v1/responses/:id/cancel`. */
export async function cancelResponse(call: Call, parts: Parts): Promise<HttpReply> {
  const { stored, live } = await find(call, parts)
  const { resource } = stored
  if (!resource.background)
    throw badRequest('only a response that was created with background=true can be cancelled', 'id')
  if (live !== undefined) return json(await live.stop())
  if (resource.status !== 'queued' && resource.status !== 'in_progress') return json(resource)
  const cancelled: ResponseResource = { ...resource, status: 'cancelled' }
  await parts.store.cancel(cancelled)
  return json(cancelled)
}

/** Answers `DELETE /v1/responses/:id`; a running response is stopped. */
export async function deleteResponse(call: Call, parts: Parts): Promise<HttpReply> {
  const { id, live } = await find(call, parts)
  await live?.stop()
  await parts.store.delete(id, toReader(call))
  return json({ id, object: 'response', deleted: true })
}

/** Answers `GET /v1/responses/:id/input_items`: the items of its own input, the last one first by default. */
export async function listInputItems(call: Call, parts: Parts): Promise<HttpReply> {
  const { stored } = await find(call, parts)
  const items = stored.input.map(toListed)
  if (call.query('order') !== 'asc') items.reverse()
  const limit = readCount(call.query('limit'), { usual: DEFAULT_ITEMS, most: MAX_ITEMS })
  const after = call.query('after')
  const start = after === undefined || after === '' ? 0 : items.findIndex(({ id }) => id === after) + 1
  if (start === 0 && after !== undefined && after !== '') throw badRequest('after: no such item', 'after')
  const data = items.slice(start, start + limit)
  return json({
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < items.length,
  })
}

/** Converts an item for the list: the content of a message is always in parts. */
function toListed(item: ResponseInputItem): ResponseInputItem {
  if (!('role' in item) || item.role === undefined || typeof item.content !== 'string') return item
  const text = item.content
  const part: ResponseContentPart =
    item.role === 'assistant' ? { type: 'output_text', text } : { type: 'input_text', text }
  return { ...item, content: [part] }
}
