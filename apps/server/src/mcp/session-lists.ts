import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import { LIST_MS, MAX_LIST_LENGTH, MAX_LISTED, MAX_PAGES } from './limits.ts'
import { toListSchema } from './result-schemas.ts'

/** Entries of a list, as the server wrote them. */
export type Listed = readonly Readonly<Record<string, unknown>>[]

/** What a server lists. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** The lists of one server. */
export interface SessionLists {
  /** Whether the server has lists of a kind. */
  offers(kind: ListKind): boolean
  /** Gives a list. Callers share one reading, which the server ends by saying that the list has changed. */
  read(kind: ListKind): Promise<Listed>
}

const METHODS: Readonly<Record<ListKind, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
}

/** One page of a list. Each entry is checked by itself later, so that a wrong one costs no other. */
const page = (kind: ListKind) =>
  z
    .looseObject({ [kind]: toListSchema(z.record(z.string(), z.unknown())), nextCursor: z.string().optional() })
    .transform((found) => ({ entries: found[kind] as Listed, nextCursor: found.nextCursor as string | undefined }))

/** Follows the lists of a server. */
export function createSessionLists(client: Client): SessionLists {
  const lists = new Map<ListKind, Promise<Listed>>()
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void lists.delete('tools'))
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => void lists.delete('prompts'))
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    lists.delete('resources')
    lists.delete('resourceTemplates')
  })

  const offers = (kind: ListKind): boolean => {
    const capabilities = client.getServerCapabilities() ?? {}
    return capabilities[kind === 'resourceTemplates' ? 'resources' : kind] !== undefined
  }
  return {
    offers,
    read(kind) {
      const known = lists.get(kind)
      if (known !== undefined) return known
      const reading = offers(kind) ? readPages(client, kind) : Promise.resolve([])
      lists.set(kind, reading)
      // A failed reading is not kept.
      reading.catch(() => {
        if (lists.get(kind) === reading) lists.delete(kind)
      })
      return reading
    },
  }
}

async function readPages(client: Client, kind: ListKind): Promise<Listed> {
  const schema = page(kind)
  const found: Record<string, unknown>[] = []
  let cursor: string | undefined
  let length = 0
  const until = performance.now() + LIST_MS
  for (let count = 0; count < MAX_PAGES && found.length < MAX_LISTED && length < MAX_LIST_LENGTH; count += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const { entries, nextCursor } = await client.request({ method: METHODS[kind], params }, schema, {
      timeout: Math.max(1, until - performance.now()),
    })
    found.push(...entries.slice(0, MAX_LISTED - found.length))
    length += JSON.stringify(entries).length
    if (nextCursor === undefined || nextCursor === '' || nextCursor === cursor) break
    cursor = nextCursor
  }
  return found
}
