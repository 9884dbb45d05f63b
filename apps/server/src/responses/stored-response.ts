import type { ResponseInputItem, ResponseResource } from '@svc/wire/responses'

/** A reader of stored responses. */
export interface Reader {
  readonly id: string
  /** Whether the reader sees the responses of all owners. */
  readonly isAdmin: boolean
}

/** A stored response. */
export interface StoredResponse {
  readonly resource: ResponseResource
  /** The items of its own input, each with an id. */
  readonly input: readonly ResponseInputItem[]
  /** Whether it has events to replay. */
  readonly streamed: boolean
}

/** A stored response with its owner. */
export interface ResponseRecord extends StoredResponse {
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Events in order; each frame is one event as it is sent. */
export interface EventRow {
  readonly firstSequence: number
  readonly frames: readonly string[]
}

/**
 * Keeps responses in the server's database, for a time and up to a size. A reader does not find responses of other
 * owners.
 */
export interface ResponseStore {
  /** Inserts a response with its present events, all of them once it has ended. */
  insert(record: ResponseRecord, events: readonly string[]): Promise<void>
  /** Appends events of a running response. */
  appendEvents(id: string, events: EventRow): Promise<void>
  /** Stores the final state of a running response; a cancelled or deleted one stays so. */
  finish(resource: ResponseResource, events: EventRow): Promise<void>
  read(id: string, reader: Reader): Promise<StoredResponse | undefined>
  /** Gives the next events after a number; undefined when there are none so far. */
  readEvents(id: string, after: number): Promise<EventRow | undefined>
  /** Finds an item by its id. */
  findItem(id: string, reader: Reader): Promise<ResponseInputItem | undefined>
  /** Marks a response that another server runs as cancelled. */
  cancel(resource: ResponseResource): Promise<void>
  /** Deletes a response. @returns whether it existed */
  delete(id: string, reader: Reader): Promise<boolean>
  /** Renews the leases of running responses. @returns the ids of the responses that another server has cancelled */
  renew(ids: readonly string[]): Promise<readonly string[]>
  /** Fails responses that ran on a server that is gone. */
  failInterrupted(): Promise<void>
  /** Removes expired responses, and the oldest ones above the limit. */
  trim(): Promise<void>
}
