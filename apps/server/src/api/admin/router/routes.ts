import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type { DecisionLog } from '@svc/router'
import {
  routerCacheStats,
  routerCorpusAdded,
  routerCorpusCleared,
  routerCorpusRequest,
  routerCorpusStats,
  routerDecideReply,
  routerDecideRequest,
  routerDecisionList,
  routerStatus,
} from '@svc/wire/native'
import * as z from 'zod'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readBody } from '../../../inference/read-body.ts'
import type { RouterAdmin } from '../../../routing/router-admin.ts'
import { toRouterStatus, toWireCacheStats, toWireDecision, toWireDryRun } from './to-wire.ts'

/** What the routes need. */
export interface RouterRouteParts {
  readonly admin: RouterAdmin
  readonly decisions: Pick<DecisionLog, 'list' | 'size'>
  readonly bodies: BodyReader
}

/** Decisions of a list unless the query asks for another number. */
const DEFAULT_LIMIT = 100
/** The log keeps 5,000 decisions. */
const MAX_LIMIT = 5_000
/** Objects, arrays and keys of a body: an entry of a corpus has five, and a request ten thousand entries. */
const LIMITS = { maxNodes: 250_000 }

const text = (about: string) => z.string().optional().describe(about)
const decisionQuery = z.object({
  correlation_id: text('Decisions of one request.'),
  user_id: text('Decisions of one user.'),
  router_model: text('Decisions of one router.'),
  limit: text(`How many at most, ${DEFAULT_LIMIT} when it is left out.`),
})

/** `/api/router/*`: routers, their decisions and their corpora (§4.9). */
export function routerRoutes({ admin, decisions, bodies }: RouterRouteParts): Route[] {
  const shared = { method: 'GET', access: 'admin', family: 'compatible', tag: 'router' } as const
  return [
    defineRoute({
      ...shared,
      path: '/api/router/status',
      access: 'any',
      summary: 'The routers: classifiers, labels, candidates',
      quiet: true,
      responses: { 200: { description: 'The state of this moment.', schema: routerStatus } },
      async handler({ signal }) {
        return json(toRouterStatus(await admin.list({ signal }), decisions.size))
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/router/decisions',
      summary: 'The decisions made last',
      quiet: true,
      query: decisionQuery,
      responses: { 200: { description: 'The newest first; never a prompt.', schema: routerDecisionList } },
      async handler(call) {
        const found = decisions.list({
          correlationId: call.query('correlation_id') || undefined,
          userId: call.query('user_id') || undefined,
          routerModel: call.query('router_model') || undefined,
          limit: readLimit(call.query('limit')),
        })
        return json({ decisions: found.map(toWireDecision) })
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/router/cache/stats',
      access: 'any',
      summary: 'Hits and misses of the embedding caches',
      quiet: true,
      responses: { 200: { description: 'Counts since each router was built.', schema: routerCacheStats } },
      async handler({ signal }) {
        const routers = await admin.list({ signal })
        const caches = routers.flatMap(({ name, cacheStats }) =>
          cacheStats === undefined ? [] : [[name, toWireCacheStats(cacheStats)] as const],
        )
        return json({ caches: Object.fromEntries(caches) })
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/router/decide',
      summary: 'The decision of a router for a text, without a request',
      body: routerDecideRequest,
      responses: {
        200: { description: 'The decision. Nothing is logged, no model answers.', schema: routerDecideReply },
      },
      async handler(call) {
        const { router = '', input = '' } = await readRequest(call, bodies, routerDecideRequest)
        const name = needText('router', router)
        return json(toWireDryRun(name, await admin.decide(name, needText('input', input), call)))
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/router/:name/corpus',
      summary: 'Add labelled texts to the corpus of a router',
      body: routerCorpusRequest,
      responses: { 200: { description: 'All texts are stored and found from now on.', schema: routerCorpusAdded } },
      async handler(call) {
        const { entries } = await readRequest(call, bodies, routerCorpusRequest)
        if (entries === undefined || entries === null || entries.length === 0) throw isRequired('entries')
        const name = call.param('name')
        const { added, skipped, total, labelCounts } = await admin.addEntries(name, entries, call)
        return json({ router: name, added, skipped, total, label_counts: labelCounts })
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/router/:name/corpus/stats',
      summary: 'The size of the corpus of a router',
      responses: { 200: { description: 'Counts; never a text.', schema: routerCorpusStats } },
      async handler(call) {
        const stats = await admin.readCorpus(call.param('name'), call)
        return json({
          router: stats.router,
          store_name: stats.storeName,
          embedding_model: stats.embeddingModel,
          total: stats.total,
          label_counts: stats.labelCounts,
          embedding_models: stats.embeddingModels,
          problems: stats.problems,
          problem_count: stats.problemCount,
        })
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/api/router/:name/corpus',
      summary: 'Remove all labelled texts of a router',
      responses: { 200: { description: 'File and index are empty.', schema: routerCorpusCleared } },
      async handler(call) {
        const router = call.param('name')
        return json({ router, cleared: await admin.clearCorpus(router, call) })
      },
    }),
  ]
}

async function readRequest<T extends z.ZodType>(call: Call, bodies: BodyReader, schema: T): Promise<z.infer<T>> {
  const held = await bodies.read(call)
  try {
    const { signal } = call
    return await readBody(schema, await parseJsonCooperatively(held.bytes, LIMITS, { signal }), signal)
  } finally {
    held.release()
  }
}

function needText(param: string, value: string | null): string {
  if (value === null || value.trim() === '') throw isRequired(param)
  return value
}

function isRequired(param: string): SvcError {
  return new SvcError('invalid_request', `${param} is required`, {
    code: 'missing_field',
    details: { type: 'invalid_request_error', param },
  })
}

function readLimit(asked: string | undefined): number {
  const limit = /^\d{1,9}$/.test(asked ?? '') ? Number(asked) : 0
  return limit === 0 ? DEFAULT_LIMIT : Math.min(limit, MAX_LIMIT)
}
