import { SvcError } from '@svc/errors'
import type { SystemReply, LoadedModel as WireLoadedModel } from '@svc/wire/native'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Access } from '../../../http/route-info.ts'
import type { ProcessFigures } from '../../../monitoring/process-stats.ts'
import type { LoadedModel } from '../../../residency/residency.ts'
import type { ModelProblems } from './model-problems.ts'
import type { ResourceReader } from './resources.ts'

const wire = () => import('@svc/wire/native')

/** Options of {@link systemRoutes}. */
export interface SystemFacts {
  readonly version: string
  /** Every series, as Prometheus reads them. */
  readMetrics(): Promise<string>
  /** Undefined when the endpoint is off. */
  readonly metricsAccess: Access | undefined
  backendNames(): readonly string[]
  loaded(): readonly LoadedModel[]
  /** Figures of a backend's process group; undefined when they cannot be read. */
  readProcess(pid: number): Promise<ProcessFigures | undefined>
  /** Device memory of a backend's process group in bytes; undefined when unknown. */
  readVram(pid: number): Promise<number | undefined>
  readonly readResources: ResourceReader
  /** Loads that failed, and mistakes in model files. */
  problems(): ModelProblems
  /** Reads the state that the backend of a loaded model reports. Never rejects. */
  readState(name: string, options: { readonly signal: AbortSignal }): Promise<NonNullable<WireLoadedModel['state']>>
}

/** Parts that a reply has on request: pages would need a call for each of them otherwise. */
const INCLUDED = ['resources', 'problems', 'states'] as const
type Included = (typeof INCLUDED)[number]

function readIncluded(text: string | undefined): ReadonlySet<Included> {
  const asked = text === undefined || text === '' ? [] : text.split(',')
  const known = asked.flatMap((word) => INCLUDED.find((part) => part === word) ?? [])
  if (known.length === asked.length) return new Set(known)
  throw new SvcError('invalid_request', `include must be a list of ${INCLUDED.join(', ')}`, {
    code: 'unknown_part',
    details: { param: 'include' },
  })
}

/** The Prometheus text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

async function describe(model: LoadedModel, facts: SystemFacts): Promise<WireLoadedModel> {
  const base = { id: model.name, ...(model.backend === '' ? {} : { backend: model.backend }) }
  if (model.pid === undefined) return base
  const [process, vram] = await Promise.all([facts.readProcess(model.pid), facts.readVram(model.pid)])
  return {
    ...base,
    ...(process === undefined
      ? {}
      : {
          process: {
            pid: process.pid,
            rss_bytes: process.rssBytes,
            memory_percent: process.memoryPercent,
            ...(process.cpuPercent === undefined ? {} : { cpu_percent: process.cpuPercent }),
            started_at: process.startedAt,
          },
        }),
    ...(vram === undefined ? {} : { size_vram: vram }),
  }
}

/** `GET /version`, `/system` and `/metrics`. */
export function systemRoutes(facts: SystemFacts): Route[] {
  const routes = [
    defineRoute({
      method: 'GET',
      path: '/version',
      access: 'any',
      family: 'compatible',
      tag: 'system',
      summary: 'Version and commit of this build',
      responses: {
        200: { description: 'As `<version> (<commit>)`.', schema: async () => (await wire()).versionReply },
      },
      handler: () => json({ version: facts.version }),
    }),
    defineRoute({
      method: 'GET',
      path: '/system',
      access: 'admin',
      family: 'compatible',
      tag: 'system',
      summary: 'Backends and loaded models with their processes',
      query: async () => (await import('./schemas.ts')).systemQuery,
      responses: { 200: { description: 'Both lists in byte order.', schema: async () => (await wire()).systemReply } },
      async handler(call) {
        const { signal } = call
        const included = readIncluded(call.query('include'))
        const models = facts.loaded().toSorted((one, other) => (one.name < other.name ? -1 : 1))
        const describeAll = models.map(async (model): Promise<WireLoadedModel> => {
          const [described, state] = await Promise.all([
            describe(model, facts),
            included.has('states') ? facts.readState(model.name, { signal }) : undefined,
          ])
          return state === undefined ? described : { ...described, state }
        })
        const [loaded, resources] = await Promise.all([
          Promise.all(describeAll),
          included.has('resources') ? facts.readResources() : undefined,
        ])
        return json({
          backends: [...facts.backendNames()],
          loaded_models: loaded,
          ...(resources === undefined ? {} : { resources }),
          ...(included.has('problems') ? facts.problems() : {}),
        } satisfies SystemReply)
      },
    }),
  ]
  if (facts.metricsAccess === undefined) return routes
  return [
    ...routes,
    defineRoute({
      method: 'GET',
      path: '/metrics',
      access: facts.metricsAccess,
      family: 'compatible',
      tag: 'system',
      summary: 'Metrics in the Prometheus text format',
      quiet: true,
      responses: { 200: { description: 'All series.', contentType: METRICS_TYPE } },
      handler: async () => new HttpReply(await facts.readMetrics(), { headers: { 'content-type': METRICS_TYPE } }),
    }),
  ]
}
