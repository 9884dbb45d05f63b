import { deserialize, serialize } from 'node:v8'
import type { PredictionStep } from '../core/events.ts'

/** Most bytes of all kept replies together. */
const MAX_BYTES = 64 * 1024 * 1024
/** Most bytes of one kept reply. */
export const MAX_REPLY_BYTES = 1024 * 1024
const MAX_REPLIES = 10_000
/** Bytes that an entry takes beside its reply. */
const ENTRY_BYTES = 512

/** A complete reply. */
export interface KeptReply {
  readonly batches: readonly (readonly PredictionStep[])[]
  /** Name of the model that answered. */
  readonly served: string
}

/** Size of what is kept for a model. */
export interface KeptSize {
  readonly replies: number
  readonly bytes: number
}

interface Entry {
  readonly bytes: Buffer
  readonly model: string
  /** Monotonic milliseconds. */
  readonly endsAt: number
}

/** Options of {@link ReplyStore}. */
export interface ReplyStoreOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** @default 64 MiB */
  readonly maxBytes?: number | undefined
  /** @default 10,000 */
  readonly maxReplies?: number | undefined
}

/** Replies in memory within one bound for all models. The one that was not used for longest goes first. */
export class ReplyStore {
  readonly #now: () => number
  readonly #maxBytes: number
  readonly #maxReplies: number
  /** In the order of use. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor({ now, maxBytes = MAX_BYTES, maxReplies = MAX_REPLIES }: ReplyStoreOptions) {
    this.#now = now
    this.#maxBytes = maxBytes
    this.#maxReplies = maxReplies
  }

  /** Bytes of all kept replies. */
  get bytes(): number {
    return this.#bytes
  }

  /** Gives a reply that is still good. */
  find(key: string): KeptReply | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#remove(key, entry)
    if (entry.endsAt <= this.#now()) return undefined
    this.#add(key, entry)
    return deserialize(entry.bytes) as KeptReply
  }

  /** Keeps a reply, unless it is too long. */
  keep(key: string, reply: KeptReply, { model, ttlMs }: { readonly model: string; readonly ttlMs: number }): void {
    const before = this.#entries.get(key)
    if (before !== undefined) this.#remove(key, before)
    const bytes = serialize(reply)
    if (bytes.length > MAX_REPLY_BYTES) return
    this.#add(key, { bytes, model, endsAt: this.#now() + ttlMs })
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes && this.#entries.size <= this.#maxReplies) return
      this.#remove(oldest, entry)
    }
  }

  /** Size of the good replies of a model. */
  sizeOf(model: string): KeptSize {
    const own = [...this.#entries.values()].filter((entry) => entry.model === model && entry.endsAt > this.#now())
    return { replies: own.length, bytes: own.reduce((sum, entry) => sum + sizeOf(entry), 0) }
  }

  /** Drops the replies of a model. @returns their number */
  clear(model: string): number {
    const own = [...this.#entries].filter(([, entry]) => entry.model === model)
    for (const [key, entry] of own) this.#remove(key, entry)
    return own.length
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry)
    this.#bytes += sizeOf(entry)
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key)
    this.#bytes -= sizeOf(entry)
  }
}

const sizeOf = ({ bytes }: Entry): number => bytes.length + ENTRY_BYTES
