import type { Usage, UsageRecorder } from '@svc/auth/usage'
import { SvcError } from '@svc/errors'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { EndUserNaming } from '../../../spend/attribution.ts'
import { readLabel } from './read-label.ts'
import { toSourcesReply, toUsageReply } from './wire-usage.ts'

/** Parts of the routes of usage. */
export interface UsageRouteParts {
  readonly usage: Pick<Usage, 'readUsage' | 'readSources'>
  /** Stores the waiting records, so that a report has every request that has ended. */
  readonly recorder: Pick<UsageRecorder, 'flush'>
  /** How end users are stored, for filters. */
  readonly endUsers: Pick<EndUserNaming, 'find'>
}

const wire = () => import('@svc/wire/native')
const schemas = () => import('./schemas.ts')

type Audience = Parameters<Usage['readUsage']>[0]

const MAX_ID_LENGTH = 200

const ok = {
  usage: { 200: { description: 'Rows in the order of their buckets.', schema: async () => (await wire()).usageReply } },
  sources: { 200: { description: 'Usage by source and key.', schema: async () => (await wire()).usageSourcesReply } },
} as const

const own = {
  method: 'GET',
  access: 'self',
  family: 'flat',
  tag: 'usage',
  query: async () => (await schemas()).ownQuery,
} as const
const admin = { method: 'GET', access: 'admin', family: 'flat', tag: 'usage' } as const

/** Usage of the caller, and of everybody for admins (§4.2). */
export function usageRoutes({ usage, recorder, endUsers }: UsageRouteParts): Route[] {
  async function report(call: Call, audience: Audience): Promise<HttpReply> {
    const { signal } = call
    const label = readLabel(call, endUsers)
    await recorder.flush({ signal })
    return json(toUsageReply(await usage.readUsage({ ...audience, label }, { signal }), call.query('group_by')))
  }
  async function reportSources(call: Call, audience: Audience): Promise<HttpReply> {
    const { signal } = call
    await recorder.flush({ signal })
    return json(toSourcesReply(await usage.readSources(audience, { signal })))
  }
  return [
    defineRoute({
      ...own,
      path: '/api/auth/usage',
      summary: "The caller's own usage over time",
      query: async () => (await schemas()).ownUsageQuery,
      responses: ok.usage,
      handler: (call) => report(call, ownAudience(call)),
    }),
    defineRoute({
      ...own,
      path: '/api/auth/usage/sources',
      summary: "The caller's own usage by source and key",
      responses: ok.sources,
      handler: (call) => reportSources(call, ownAudience(call)),
    }),
    defineRoute({
      ...admin,
      path: '/api/auth/admin/usage',
      summary: 'Usage of everybody over time',
      query: async () => (await schemas()).adminUsageQuery,
      responses: ok.usage,
      handler: (call) => report(call, { period: call.query('period'), view: 'all', userId: readId(call, 'user_id') }),
    }),
    defineRoute({
      ...admin,
      path: '/api/auth/admin/usage/sources',
      summary: 'Usage of everybody by source and key',
      query: async () => (await schemas()).sourcesQuery,
      responses: ok.sources,
      handler: (call) =>
        reportSources(call, {
          period: call.query('period'),
          view: 'all',
          userId: readId(call, 'user_id'),
          apiKeyId: readId(call, 'api_key_id'),
        }),
    }),
  ]
}

/** An account's own view leaves shared keys out (§5.4). */
function ownAudience(call: Call): Audience {
  return { period: call.query('period'), view: 'own', userId: call.principal.id }
}

/**
 * An id of the query; an empty one selects nothing in particular.
 *
 * @throws {SvcError} `invalid_request` for an impossible id
 */
function readId(call: Call, name: 'user_id' | 'api_key_id'): string | undefined {
  const id = call.query(name)
  if (id === undefined || id === '') return undefined
  if (id.length <= MAX_ID_LENGTH && !id.includes('\0')) return id
  throw new SvcError('invalid_request', `${name} is not an id`, { details: { param: name } })
}
