import type { FailoverChain, FailoverChange } from '@svc/wire/native'
import type { Call } from '../../../http/call.ts'
import type { CompressionPolicy } from '../../../http/compression.ts'
import { ALREADY_SENT } from '../../../http/edge.ts'
import { errorBody } from '../../../http/error-envelopes.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import type { FailoverReader, FailoverWatch } from '../../../inference/failover/watch.ts'
import type { ReplyWriter } from '../../../inference/ports.ts'
import type { Clock } from '../../../ports.ts'
import { OPAQUE_ERROR, toPublicError } from '../../../public-error.ts'
import { toWireChange } from './describe.ts'

/** How long nothing is sent before a comment shows that both sides are there. */
const KEEP_ALIVE_MS = 15_000
/** How long a stream lasts: who reads on asks again, and shows again who it is. */
const MAX_AGE_MS = 15 * 60_000

/** What the stream is made of. */
export interface EventStreamParts {
  readonly watch: FailoverWatch
  readonly chains: () => readonly FailoverChain[]
  readonly clock: Clock
  readonly compression: CompressionPolicy
  /** Whether errors inside of the stream say nothing. */
  readonly opaqueErrors: boolean
}

/** Answers with how all chains are, then with what changes, until somebody leaves. */
export async function streamChanges(call: Call, parts: EventStreamParts): Promise<Response> {
  if (call.incoming.method === 'HEAD') return new Response(null, { headers: { 'content-type': 'text/event-stream' } })
  // Opened first: what changes while the chains are looked at is told twice rather than never.
  const reader = parts.watch.open()
  const writer = createReplyWriter(call, parts)
  try {
    await send(reader, { writer, call, parts })
  } catch (error) {
    if (call.outgoing.destroyed) return ALREADY_SENT
    if (!writer.started) throw error
    const body = JSON.stringify(errorBody(parts.opaqueErrors ? OPAQUE_ERROR : toPublicError(error), 'compatible'))
    await writer.write(`event: error\ndata: ${body}\n\n`)
  } finally {
    reader.close()
  }
  writer.end()
  return ALREADY_SENT
}

async function send(
  reader: FailoverReader,
  { writer, call, parts }: { readonly writer: ReplyWriter; readonly call: Call; readonly parts: EventStreamParts },
): Promise<void> {
  const { chains, clock } = parts
  const first = frame({ type: 'chains', chains: [...chains()] })
  writer.startStream('text/event-stream')
  await writer.write(first)
  for (const until = clock.monotonic() + MAX_AGE_MS; clock.monotonic() < until; ) {
    const notices = await reader.take({ waitMs: KEEP_ALIVE_MS, signal: call.signal })
    if (notices === undefined) return
    const frames = notices.map((notice) => frame(toWireChange(notice, chains)))
    await writer.write(frames.length === 0 ? ':\n\n' : frames.join(''))
  }
}

function frame(change: FailoverChange): string {
  return `event: ${change.type}\ndata: ${JSON.stringify(change)}\n\n`
}
