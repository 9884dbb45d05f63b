import type { Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import type { MessagesModel, MessagesModelList } from '@svc/wire/messages'
import type { Model, ModelCapabilitiesList, ModelList, ModelWithCapabilities } from '@svc/wire/openai'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { readCount } from '../../../http/read-count.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { modelNotFound } from '../../../inference/stages/resolve.ts'

/** Facts of a model of the list of capabilities. */
type ListedFacts = Pick<
  ModelWithCapabilities,
  'capabilities' | 'input_modalities' | 'output_modalities' | 'default' | 'filtered' | 'tools' | 'traced'
>

/** A model that clients may name. */
export interface ListedModel {
  readonly id: string
  /** Creation time in milliseconds. */
  readonly createdAt: number
  /** Works out the capabilities when called. */
  capabilities(): ListedFacts
}

/** Options of {@link modelRoutes}. */
export interface ModelListing {
  /** Lists the models that a caller may name in byte order; on request with files that other model files refer to. */
  list(options: {
    readonly principal: Principal
    readonly includeReferenced: boolean
    /** Leaves the models of peers out. @default false */
    readonly isOwn?: boolean | undefined
  }): readonly ListedModel[]
}

/** Written out, as the package would be loaded with the server. Its type keeps it equal. */
const HOP_HEADER: typeof import('@svc/proxy').HOP_HEADER = 'x-svc-hop'

const schemas = () => import('./models-schemas.ts')

const MAX_FILTER_LENGTH = 1024

async function compileFilter(source: string | undefined): Promise<(name: string) => boolean> {
  if (source === undefined || source === '') return () => true
  if (source.length > MAX_FILTER_LENGTH) throw invalidFilter('filter is longer than 1024 characters')
  const { RE2JS } = await import('re2js')
  try {
    const expression = RE2JS.compile(source)
    return (name) => expression.matcher(name).find()
  } catch (cause) {
    throw invalidFilter('filter is not a valid expression', cause)
  }
}

function invalidFilter(message: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', message, { code: 'invalid_filter', cause, details: { param: 'filter' } })
}

function toModel(entry: Pick<ListedModel, 'id' | 'createdAt'>): Model {
  return { id: entry.id, object: 'model', created: Math.floor(entry.createdAt / 1000), owned_by: 'svc' }
}

/** Clients of the messages format send its version; that format lists models in its own way. */
function speaksMessages({ incoming }: Call): boolean {
  return incoming.headers['anthropic-version'] !== undefined
}

function toMessagesModel({ id, createdAt }: Pick<ListedModel, 'id' | 'createdAt'>): MessagesModel {
  return { type: 'model', id, display_name: id, created_at: new Date(createdAt).toISOString() }
}

/** Default and maximum number of models of a page. */
const PAGE = { usual: 20, most: 1000 } as const

/** Creates a page of the list for the messages format. */
function toMessagesPage(entries: readonly ListedModel[], call: Call): MessagesModelList {
  const limit = readCount(call.query('limit'), PAGE)
  const find = (name: 'after_id' | 'before_id'): number => {
    const id = call.query(name)
    const index = entries.findIndex((entry) => entry.id === id)
    if (id !== undefined && index < 0)
      throw new SvcError('invalid_request', `${name} names no model`, { details: { param: name } })
    return index
  }
  const [after, before] = [find('after_id'), find('before_id')]
  const end = before < 0 ? entries.length : before
  const start = before < 0 ? after + 1 : Math.max(after + 1, end - limit)
  const page = entries.slice(start, Math.min(start + limit, end))
  return {
    data: page.map(toMessagesModel),
    has_more: before < 0 ? start + page.length < entries.length : start > after + 1,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

/** `GET /v1/models`, its alias, the capabilities, and one model by name. */
export function modelRoutes(models: ModelListing): Route[] {
  /** Lists the models that a call asks for. */
  async function listAsked(call: Call): Promise<ListedModel[]> {
    const matches = await compileFilter(call.query('filter'))
    const includeReferenced = call.query('excludeConfigured') === 'false'
    // A peer that asks offers the models further only as its own: names would go round for ever.
    const isOwn = call.header(HOP_HEADER) !== undefined
    const entries = models.list({ principal: call.principal, includeReferenced, isOwn })
    return entries.filter((entry) => matches(entry.id))
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/models',
      aliases: ['/models'],
      access: 'any',
      family: 'compatible',
      tag: 'models',
      summary: 'List the models that can be named in requests',
      query: async () => (await schemas()).listQuery,
      responses: {
        200: {
          description: 'The models in byte order; with `anthropic-version` a page of the messages format.',
          schema: async () => (await schemas()).listReply,
        },
      },
      async handler(call) {
        const entries = await listAsked(call)
        if (speaksMessages(call)) return json(toMessagesPage(entries, call))
        return json({ object: 'list', data: entries.map(toModel) } satisfies ModelList)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/models/capabilities',
      aliases: ['/models/capabilities'],
      access: 'any',
      family: 'compatible',
      tag: 'models',
      summary: 'List the models with usecases, inputs and outputs',
      query: async () => (await schemas()).listQuery,
      responses: {
        200: { description: 'The models in byte order.', schema: async () => (await schemas()).capabilitiesReply },
      },
      async handler(call) {
        const data = (await listAsked(call)).map((entry) => ({ ...toModel(entry), ...entry.capabilities() }))
        return json({ object: 'list', data } satisfies ModelCapabilitiesList)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/models/:id',
      aliases: ['/models/:id'],
      access: 'any',
      family: 'compatible',
      tag: 'models',
      summary: 'One model by name',
      responses: { 200: { description: 'The model.', schema: async () => (await schemas()).modelReply } },
      handler(call) {
        const id = call.param('id')
        const entries = models.list({ principal: call.principal, includeReferenced: true })
        const entry = entries.find((candidate) => candidate.id === id)
        if (entry === undefined) throw modelNotFound(id)
        return json(speaksMessages(call) ? toMessagesModel(entry) : toModel(entry))
      },
    }),
  ]
}
