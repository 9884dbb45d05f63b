import type { LimitDraft } from '@svc/auth/limits'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { describeLimit, describeLimitStatus } from './describe-limit.ts'
import { type Fields, readFields, refuseUnknown } from './fields.ts'
import { readId } from './page.ts'
import { ACCOUNT_ROUTE, type AccountParts, ADMIN_ROUTE } from './parts.ts'

const schemas = () => import('./schemas.ts')

const PATH = '/api/limits'
const ONE = `${PATH}/:id`

type LimitParts = Pick<AccountParts, 'auth' | 'bodies'>

/** Limits and budgets: their list, changes of them, and those of the caller. */
export function limitRoutes(parts: LimitParts): Route[] {
  return [...readRoutes(parts), createRoute(parts), changeRoute(parts), removeRoute(parts)]
}

function readRoutes({ auth }: LimitParts): Route[] {
  const { limits } = auth.quotas
  const many = async () => (await schemas()).limitsReply
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: PATH,
      summary: 'All limits and budgets, with what is used of them',
      responses: { 200: { description: 'The limits, oldest first.', schema: many } },
      handler: async (call) => json({ limits: (await limits.list(call)).map(describeLimitStatus) }),
    }),
    defineRoute({
      ...ACCOUNT_ROUTE,
      access: 'any',
      method: 'GET',
      path: `${PATH}/own`,
      summary: 'The limits and budgets of the account, the key and the groups of the caller',
      responses: { 200: { description: 'The limits.', schema: many } },
      // What administrators note about a limit is theirs.
      handler: async (call) => {
        const own = await limits.readOwn(call.principal, call)
        return json({ limits: own.map((status) => describeLimitStatus({ ...status, note: '' })) })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: ONE,
      summary: 'A limit with what is used of it',
      query: async () => (await schemas()).limitQuery,
      responses: { 200: { description: 'The limit.', schema: async () => (await schemas()).limitReply } },
      async handler(call) {
        const of = call.query('of')
        const limit = await limits.read(readId(call), { signal: call.signal, of })
        return json({ limit: describeLimitStatus(limit) })
      },
    }),
  ]
}

function createRoute({ auth, bodies }: LimitParts): Route {
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'POST',
    path: PATH,
    summary: 'Add a limit or a budget',
    audit: { change: 'limit.create' },
    body: async () => (await schemas()).limitForm,
    responses: { 200: { description: 'The limit.', schema: async () => (await schemas()).limitReply } },
    async handler(call) {
      const fields = await readFields(call, bodies)
      const limit = await auth.quotas.limits.create(toDraft(fields), call)
      call.noteChange({ target: limit.id, details: describeLimit(limit) })
      return json({ limit: describeLimitStatus(limit) })
    },
  })
}

function changeRoute({ auth, bodies }: LimitParts): Route {
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'PATCH',
    path: ONE,
    summary: 'Change a limit; its counts stay unless its window is another one',
    audit: { change: 'limit.change', target: 'id' },
    body: async () => (await schemas()).limitChangeForm,
    responses: { 200: { description: 'The limit.', schema: async () => (await schemas()).limitReply } },
    async handler(call) {
      const fields = await readFields(call, bodies)
      const limit = await auth.quotas.limits.change(readId(call), toDraft(fields), call)
      call.noteChange({ details: describeLimit(limit) })
      return json({ limit: describeLimitStatus(limit) })
    },
  })
}

function removeRoute({ auth }: LimitParts): Route {
  const { limits } = auth.quotas
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'DELETE',
    path: ONE,
    summary: 'Remove a limit with its counts',
    audit: { change: 'limit.delete', target: 'id' },
    responses: { 200: { description: 'Removed.', schema: async () => (await schemas()).doneReply } },
    async handler(call) {
      const id = readId(call)
      const before = await limits.read(id, call)
      await limits.remove(id, call)
      call.noteChange({ details: describeLimit(before) })
      return json({ message: 'limit deleted' })
    },
  })
}

const FIELDS = [
  ...(['subject_kind', 'subject_id', 'model', 'max_requests', 'max_total_tokens', 'max_cost_micros'] as const),
  ...(['currency', 'max_parallel', 'window', 'soft', 'enabled', 'note'] as const),
]

function toDraft(fields: Fields): LimitDraft {
  refuseUnknown(fields, FIELDS)
  return {
    subjectKind: fields.subject_kind,
    subjectId: fields.subject_id,
    model: fields.model,
    maxRequests: fields.max_requests,
    maxTokens: fields.max_total_tokens,
    maxCostMicros: fields.max_cost_micros,
    currency: fields.currency,
    maxParallel: fields.max_parallel,
    window: fields.window,
    isSoft: fields.soft,
    isEnabled: fields.enabled,
    note: fields.note,
  }
}
