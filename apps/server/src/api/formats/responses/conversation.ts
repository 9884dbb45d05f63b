import { SvcError } from '@svc/errors'
import type { ResponseInputItem, ResponseRequest } from '@svc/wire/responses'
import type { LiveResponses } from '../../../responses/live-responses.ts'
import type { Reader, ResponseStore, StoredResponse } from '../../../responses/stored-response.ts'
import { MAX_MESSAGES } from '../openai/limits.ts'
import { unreadableInput } from './errors.ts'
import { newItemId } from './ids.ts'

/** Maximum number of turns of a conversation. */
const MAX_TURNS = 1024

/** The conversation that a request continues. */
export interface Conversation {
  /** Items of the request itself, each with an id, with references resolved. */
  readonly input: readonly ResponseInputItem[]
  /** Items of earlier turns. */
  readonly history: readonly ResponseInputItem[]
}

/** Responses that one connection knows beside the stored ones. */
export interface KnownResponses {
  get(id: string): StoredResponse | undefined
  findItem(id: string): ResponseInputItem | undefined
}

/** Source of conversations, for one reader. */
export interface ConversationSource {
  readonly store: Pick<ResponseStore, 'read' | 'findItem'>
  readonly live: LiveResponses
  readonly reader: Reader
  /** @default none */
  readonly known?: KnownResponses | undefined
}

/** Whether an item refers to another one. */
function isReference(item: ResponseInputItem): item is Extract<ResponseInputItem, { readonly role?: undefined }> {
  return item.type === 'item_reference' || (item.type == null && !('role' in item && item.role !== undefined))
}

/**
 * Reads the conversation that a request continues.
 *
 * @throws {SvcError} `not_found` for a previous response that the caller cannot read, `invalid_request` for a dangling
 *   reference
 */
export async function readConversation(body: ResponseRequest, source: ConversationSource): Promise<Conversation> {
  const given: readonly ResponseInputItem[] =
    typeof body.input === 'string' ? [{ type: 'message', role: 'user', content: body.input }] : body.input
  const history = body.previous_response_id == null ? [] : await readHistory(body.previous_response_id, source)
  const input: ResponseInputItem[] = []
  for (const [index, item] of given.entries()) input.push(await follow(item, index, source))
  return { input, history }
}

async function follow(item: ResponseInputItem, index: number, source: ConversationSource): Promise<ResponseInputItem> {
  if (!isReference(item)) return withId(item)
  const found = source.known?.findItem(item.id) ?? (await source.store.findItem(item.id, source.reader))
  if (found === undefined) throw unreadableInput(`input[${index}]: item not found: ${item.id}`, `input[${index}]`)
  return found
}

function withId(item: ResponseInputItem): ResponseInputItem {
  if (item.id != null && item.id !== '') return item
  const type = item.type ?? 'message'
  return type === 'item_reference' ? item : ({ ...item, type, id: newItemId(type) } as ResponseInputItem)
}

/** Gives inputs and outputs since the first response of the conversation. */
async function readHistory(
  first: string,
  { store, live, reader, known }: ConversationSource,
): Promise<ResponseInputItem[]> {
  const turns: (readonly ResponseInputItem[])[] = []
  let count = 0
  for (let id: string | null = first; id !== null; ) {
    if (live.get(id, reader) !== undefined) throw stillRuns(id)
    const stored: StoredResponse | undefined = known?.get(id) ?? (await store.read(id, reader))
    if (stored === undefined) throw previousNotFound(id)
    const { resource, input }: StoredResponse = stored
    if (resource.status === 'queued' || resource.status === 'in_progress') throw stillRuns(id)
    const turn: readonly ResponseInputItem[] = [...input, ...resource.output]
    turns.push(turn)
    count += turn.length
    if (turns.length > MAX_TURNS || count > MAX_MESSAGES) throw tooLong()
    id = resource.previous_response_id
  }
  return turns.reverse().flat()
}

/**
 * Finds the first response of the conversation that a response belongs to.
 *
 * @returns undefined where the caller cannot read all of it, or some of it has not ended
 */
export async function findFirstResponse(
  last: string,
  { store, live, reader, known }: ConversationSource,
): Promise<string | undefined> {
  let id = last
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    if (live.get(id, reader) !== undefined) return undefined
    const stored = known?.get(id) ?? (await store.read(id, reader))
    if (stored === undefined) return undefined
    const { previous_response_id: previous } = stored.resource
    if (previous === null) return id
    id = previous
  }
  return undefined
}

/** Reads each stored response once, for as long as a request needs it. */
export function rememberReads(source: ConversationSource): ConversationSource & { readonly forget: () => void } {
  const read = new Map<string, Promise<StoredResponse | undefined>>()
  const { store } = source
  return {
    ...source,
    store: {
      findItem: (id, reader) => store.findItem(id, reader),
      read(id, reader) {
        const found = read.get(id) ?? store.read(id, reader)
        read.set(id, found)
        return found
      },
    },
    forget: () => read.clear(),
  }
}

function previousNotFound(id: string): SvcError {
  return new SvcError('not_found', `previous response not found: ${id}`, {
    code: 'previous_response_not_found',
    details: { type: 'not_found', param: 'previous_response_id' },
  })
}

function stillRuns(id: string): SvcError {
  return new SvcError('invalid_request', `previous response has not ended: ${id}`, {
    code: 'previous_response_running',
    details: { type: 'invalid_request', param: 'previous_response_id' },
  })
}

function tooLong(): SvcError {
  return new SvcError('invalid_request', 'the conversation is longer than can be continued', {
    code: 'conversation_too_long',
    details: { type: 'invalid_request', param: 'previous_response_id' },
  })
}
