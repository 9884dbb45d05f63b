import { sumCosts, sumUsage, type UsageReport, type UsageRow } from '@svc/auth/usage'
import { SvcError } from '@svc/errors'
import type { UsageView, WireUsageRow } from '@svc/wire/native'
import type { Call } from '../../../http/call.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { formatCost } from '../../../spend/format-cost.ts'
import { readLabel } from './read-label.ts'
import type { UsageRouteParts } from './routes.ts'
import { toCsv } from './to-csv.ts'
import { toUsageReply, toWireCosts, toWireFigures, toWireGroup } from './wire-usage.ts'

const wire = () => import('@svc/wire/native')
const schemas = () => import('./schemas.ts')

const shared = {
  method: 'GET',
  family: 'flat',
  tag: 'usage',
  responses: {
    200: {
      description: 'Rows in the order of their buckets, sums by model, and who asks; a table with `format=csv`.',
      schema: async () => (await wire()).usageView,
    },
  },
} as const

/** `GET /api/usage` and `/api/usage/all`: the same figures with who asks and sums by model, for pages and tables. */
export function usageViewRoutes({ usage, recorder, endUsers }: UsageRouteParts): Route[] {
  async function view(call: Call, audience: Parameters<UsageRouteParts['usage']['readUsage']>[0]): Promise<HttpReply> {
    const { signal } = call
    const label = readLabel(call, endUsers)
    await recorder.flush({ signal })
    const report = await usage.readUsage({ ...audience, label }, { signal })
    if (call.query('format') !== 'csv') return json(toView(report, call))
    return label?.isGroup === true ? replyWithGroups(report) : replyWithTable(report)
  }
  return [
    defineRoute({
      ...shared,
      path: '/api/usage',
      access: 'self',
      summary: "The caller's own usage, by model and over time",
      query: async () => (await schemas()).viewQuery,
      handler: (call) => view(call, { period: call.query('period'), view: 'own', userId: call.principal.id }),
    }),
    defineRoute({
      ...shared,
      path: '/api/usage/all',
      access: 'admin',
      summary: 'Usage of everybody, by model and over time',
      query: async () => (await schemas()).viewQuery,
      handler: (call) => view(call, { period: call.query('period'), view: 'all' }),
    }),
  ]
}

/** Refuses reports while nothing is recorded. */
export function refuseReports(routes: readonly Route[]): Route[] {
  return routes.map((route) => ({
    ...route,
    handler() {
      throw new SvcError('unavailable', 'usage tracking is disabled (--disable-stats)', { code: 'stats_disabled' })
    },
  }))
}

function toView(report: UsageReport, call: Call): UsageView {
  const { id, name, role, account } = call.principal
  const shown = toUsageReply(report, call.query('group_by'))
  return {
    ...shown,
    by_model: shown.groups === undefined ? sumByModel(report.rows) : [],
    viewer: { id, name, role, provider: account?.provider ?? 'local' },
  }
}

/** Sums by model, most tokens first. */
function sumByModel(rows: readonly UsageRow[]): UsageView['by_model'] {
  const byModel = new Map<string, UsageRow[]>()
  for (const row of rows) {
    const known = byModel.get(row.model)
    if (known === undefined) byModel.set(row.model, [row])
    else known.push(row)
  }
  const sums = [...byModel].map(([model, own]) => ({
    model,
    ...toWireFigures(sumUsage(own)),
    ...toWireCosts(sumCosts(own)),
  }))
  return sums.sort((one, other) => other.total_tokens - one.total_tokens)
}

const TEXT_COLUMNS = ['bucket', 'model', 'user_id', 'user_name', 'source', 'api_key_id', 'api_key_name'] as const
/** A row leaves out figures that are 0. */
const FIGURE_COLUMNS = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'request_count',
  'cached_tokens',
  'reasoning_tokens',
  'estimated_tokens',
  'estimated_request_count',
  'media_seconds',
  'spoken_characters',
  'images',
  'cache_write_tokens',
  'unpriced_request_count',
] as const
/** An empty cost is unknown. */
const COST_COLUMNS = ['cost', 'currency'] as const

function replyWithTable(report: UsageReport): HttpReply {
  const rows = toUsageReply(report).usage.map((row) => [
    ...TEXT_COLUMNS.map((column) => row[column] ?? ''),
    ...toFigureCells(row),
  ])
  return replyWithRows([[...TEXT_COLUMNS, ...FIGURE_COLUMNS, ...COST_COLUMNS], ...rows])
}

/** The table of sums by end user or by the values of a tag. */
function replyWithGroups(report: UsageReport): HttpReply {
  const rows = report.rows.map(toWireGroup).map((row) => [row.bucket, row.value, ...toFigureCells(row)])
  return replyWithRows([['bucket', 'value', ...FIGURE_COLUMNS, ...COST_COLUMNS], ...rows])
}

function toFigureCells(
  row: Pick<WireUsageRow, (typeof FIGURE_COLUMNS)[number] | 'cost_micros' | 'currency'>,
): (string | number)[] {
  return [
    ...FIGURE_COLUMNS.map((column) => row[column] ?? 0),
    row.cost_micros === undefined ? '' : formatCost(row.cost_micros),
    row.currency ?? '',
  ]
}

function replyWithRows(rows: readonly (readonly (string | number)[])[]): HttpReply {
  return new HttpReply(toCsv(rows), {
    headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="usage.csv"' },
  })
}
