import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type { DecisionLog } from '@svc/router'
import type * as z from 'zod'
import { mayUse } from '../../../catalog/model-access.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { readCount } from '../../../http/read-count.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import type { RouterAdmin, RouterView } from '../../../routing/router-admin.ts'
import { DEFAULT_LIMIT } from './default-limit.ts'

const wire = () => import('@svc/wire/native')
const replies = () => import('./to-wire.ts')

/** Parts of the routes. */
export interface RouterRouteParts {
  /** Gives the routers and their decisions; the first call loads them. */
  readonly open: () => Promise<{ readonly admin: RouterAdmin; readonly decisions: DecisionLog }>
  readonly bodies: BodyReader
}

/** The log keeps 5,000 decisions. */
const MAX_LIMIT = 5_000
/** Objects, arrays and keys of a body: an entry of a corpus has five, and a request ten thousand entries. */
const LIMITS = { maxNodes: 250_000 }

const shared = { method: 'GET', access: 'admin', family: 'compatible', tag: 'router' } as const

/** `/api/router/*`: routers, their decisions and their corpora (§4.9). */
export function routerRoutes(parts: RouterRouteParts): Route[] {
  return [
    statusRoute(parts),
    decisionsRoute(parts),
    cacheStatsRoute(parts),
    decideRoute(parts),
    addCorpusRoute(parts),
    corpusStatsRoute(parts),
    clearCorpusRoute(parts),
  ]
}

function statusRoute({ open }: RouterRouteParts): Route {
  return defineRoute({
    ...shared,
    path: '/api/router/status',
    access: 'any',
    summary: 'The routers: classifiers, labels, candidates',
    quiet: true,
    revalidated: true,
    responses: { 200: { description: 'The state of this moment.', schema: async () => (await wire()).routerStatus } },
    async handler(call) {
      const { admin, decisions } = await open()
      const { toRouterStatus } = await replies()
      return json(toRouterStatus(await listUsable(admin, call), decisions.size))
    },
  })
}

function decisionsRoute({ open }: RouterRouteParts): Route {
  return defineRoute({
    ...shared,
    path: '/api/router/decisions',
    summary: 'The decisions made last',
    quiet: true,
    query: async () => (await import('./schemas.ts')).decisionQuery,
    responses: {
      200: {
        description: 'The newest first; never a prompt.',
        schema: async () => (await wire()).routerDecisionList,
      },
    },
    async handler(call) {
      const { decisions } = await open()
      const found = decisions.list({
        correlationId: call.query('correlation_id') || undefined,
        userId: call.query('user_id') || undefined,
        routerModel: call.query('router_model') || undefined,
        limit: readCount(call.query('limit'), { usual: DEFAULT_LIMIT, most: MAX_LIMIT }),
      })
      const { toWireDecision } = await replies()
      return json({ decisions: found.map(toWireDecision) })
    },
  })
}

function cacheStatsRoute({ open }: RouterRouteParts): Route {
  return defineRoute({
    ...shared,
    path: '/api/router/cache/stats',
    access: 'any',
    summary: 'Hits and misses of the embedding caches',
    quiet: true,
    revalidated: true,
    responses: {
      200: {
        description: 'Counts since each router was built.',
        schema: async () => (await wire()).routerCacheStats,
      },
    },
    async handler(call) {
      const routers = await listUsable((await open()).admin, call)
      const { toWireCacheStats } = await replies()
      const caches = routers.flatMap(({ name, cacheStats }) =>
        cacheStats === undefined ? [] : [[name, toWireCacheStats(cacheStats)] as const],
      )
      return json({ caches: Object.fromEntries(caches) })
    },
  })
}

function decideRoute({ open, bodies }: RouterRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/router/decide',
    summary: 'The decision of a router for a text, without a request',
    audit: { unrecorded: 'it decides and changes nothing' },
    body: async () => (await wire()).routerDecideRequest,
    responses: {
      200: {
        description: 'The decision. Nothing is logged, no model answers.',
        schema: async () => (await wire()).routerDecideReply,
      },
    },
    async handler(call) {
      const schema = (await wire()).routerDecideRequest
      return await withRequest(call, { bodies, schema }, async ({ router = '', input = '', facts }) => {
        const name = needText('router', router)
        const { toRequestFacts, toWireDryRun } = await replies()
        const asked = { router: name, input: needText('input', input), facts: toRequestFacts(facts) }
        return json(toWireDryRun(name, await (await open()).admin.decide(asked, call)))
      })
    },
  })
}

function addCorpusRoute({ open, bodies }: RouterRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/router/:name/corpus',
    summary: 'Add labelled texts to the corpus of a router',
    audit: { change: 'corpus.add', target: 'name' },
    body: async () => (await wire()).routerCorpusRequest,
    responses: {
      200: {
        description: 'All texts are stored and found from now on.',
        schema: async () => (await wire()).routerCorpusAdded,
      },
    },
    async handler(call) {
      const schema = (await wire()).routerCorpusRequest
      return await withRequest(call, { bodies, schema }, async ({ entries }) => {
        if (entries === undefined || entries === null || entries.length === 0) throw isRequired('entries')
        const name = call.param('name')
        const { added, skipped, total, labelCounts } = await (await open()).admin.addEntries(name, entries, call)
        call.noteChange({ details: `${added} added, ${skipped} skipped, ${total} in all` })
        return json({ router: name, added, skipped, total, label_counts: labelCounts })
      })
    },
  })
}

function corpusStatsRoute({ open }: RouterRouteParts): Route {
  return defineRoute({
    ...shared,
    path: '/api/router/:name/corpus/stats',
    summary: 'The size of the corpus of a router',
    responses: {
      200: { description: 'Counts; never a text.', schema: async () => (await wire()).routerCorpusStats },
    },
    async handler(call) {
      const stats = await (await open()).admin.readCorpus(call.param('name'), call)
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
  })
}

function clearCorpusRoute({ open }: RouterRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'DELETE',
    path: '/api/router/:name/corpus',
    summary: 'Remove all labelled texts of a router',
    audit: { change: 'corpus.clear', target: 'name' },
    responses: {
      200: { description: 'File and index are empty.', schema: async () => (await wire()).routerCorpusCleared },
    },
    async handler(call) {
      const router = call.param('name')
      const cleared = await (await open()).admin.clearCorpus(router, call)
      call.noteChange({ details: `${cleared} removed` })
      return json({ router, cleared })
    },
  })
}

/** The routers that a caller may use. */
async function listUsable(admin: Pick<RouterAdmin, 'list'>, { principal, signal }: Call): Promise<RouterView[]> {
  return (await admin.list({ signal })).filter((router) => mayUse(principal, router))
}

/** Runs `use` on the body of a call. The body counts as held until `use` has ended, because its texts are in memory. */
async function withRequest<S extends z.ZodType>(
  call: Call,
  { bodies, schema }: { readonly bodies: BodyReader; readonly schema: S },
  use: (request: z.output<S>) => Promise<HttpReply>,
): Promise<HttpReply> {
  const held = await bodies.read(call)
  try {
    const { signal } = call
    return await use(await readBody(schema, await parseJsonCooperatively(held.bytes, LIMITS, { signal }), signal))
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
