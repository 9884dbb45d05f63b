import type { PeerStream } from './pump.ts'
import { toBytes } from './pump.ts'
import { isAddress } from './token.ts'

/** A service that a member offers: its API, or a worker of llama.cpp. */
export type ServiceKind = 'federated' | 'worker'

/** What a member says of itself. */
export interface MemberRecord {
  readonly name: string
  readonly services: readonly ServiceKind[]
  readonly addresses: readonly string[]
  /** Addresses of other members that it knows. */
  readonly others: readonly string[]
}

/** Largest record, bytes. */
const MAX_BYTES = 64 * 1024
const MAX_NAME = 100
const MAX_ADDRESSES = 8
/** Most addresses of others in a record. */
export const MAX_OTHERS = 64
const KINDS: ReadonlySet<string> = new Set<ServiceKind>(['federated', 'worker'])

/** Sends a record and ends this side of the stream. */
export async function sendRecord(stream: PeerStream, record: MemberRecord, signal: AbortSignal): Promise<void> {
  if (!stream.send(Buffer.from(JSON.stringify(record)))) await stream.onDrain({ signal })
  await stream.close({ signal })
}

/** Reads the record of the other side. @throws {Error} for a record that is too large or has another form */
export async function receiveRecord(stream: PeerStream, signal: AbortSignal): Promise<MemberRecord> {
  const onAbort = (): void => stream.abort(new Error('the record did not come in time'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of stream) {
      const part = toBytes(piece)
      bytes += part.length
      if (bytes > MAX_BYTES) throw new Error('the record is too large')
      pieces.push(part)
    }
    signal.throwIfAborted()
    return readRecord(JSON.parse(Buffer.concat(pieces).toString()))
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function readRecord(value: unknown): MemberRecord {
  if (typeof value !== 'object' || value === null) throw new Error('the record is not an object')
  const { name, services, addresses, others } = value as Record<string, unknown>
  return {
    name: typeof name === 'string' ? name.replaceAll(/[^\w.:-]/g, '').slice(0, MAX_NAME) : '',
    services: readList(services, 2, (item): item is ServiceKind => typeof item === 'string' && KINDS.has(item)),
    addresses: readList(addresses, MAX_ADDRESSES, isAddress),
    others: readList(others, MAX_OTHERS, isAddress),
  }
}

function readList<Item>(value: unknown, most: number, isItem: (item: unknown) => item is Item): readonly Item[] {
  return Array.isArray(value) ? value.slice(0, most).filter(isItem) : []
}
