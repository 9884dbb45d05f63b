import { SvcError } from '@svc/errors'
import * as z from 'zod'

const count = z.number().int().nonnegative().max(10_000)
const DETAILS = { type: 'node_error' }

/** Rules of a model, as requests and `SVC_MODEL_SCHEDULING` give them. */
export const schedulingBody = z
  .object({
    model_name: z.string().min(1).max(255),
    node_selector: z.record(z.string().max(253), z.string().max(256)).nullish(),
    min_replicas: count.nullish(),
    max_replicas: count.nullish(),
    spread_all: z.boolean().nullish(),
    route_policy: z.enum(['', 'least_loaded', 'round_robin', 'prefix_cache']).nullish(),
    balance_abs_threshold: count.nullish(),
    balance_rel_threshold: z.number().nonnegative().max(1000).nullish(),
    min_prefix_match: z.number().min(0).max(1).nullish(),
  })
  .strict()

/** Rules that {@link checkScheduling} has checked. */
export interface SchedulingDraft {
  readonly model: string
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly minReplicas: number
  readonly maxReplicas: number
  readonly spreadAll: boolean
  readonly routePolicy: '' | 'least_loaded' | 'round_robin' | 'prefix_cache'
  readonly balanceAbsThreshold: number
  readonly balanceRelThreshold: number
  readonly minPrefixMatch: number
}

const MAX_SELECTOR = 32

/** @throws {SvcError} `invalid_request` for rules that contradict each other */
export function checkScheduling(body: z.output<typeof schedulingBody>): SchedulingDraft {
  const [min, max, spreads] = [body.min_replicas ?? 0, body.max_replicas ?? 0, body.spread_all ?? false]
  if (max > 0 && min > max) throw refusal('min_replicas is larger than max_replicas')
  if (spreads && (min > 0 || max > 0)) {
    throw refusal('spread_all is one replica on each node: it does not go with min_replicas and max_replicas')
  }
  const nodeSelector = body.node_selector ?? {}
  if (Object.keys(nodeSelector).length > MAX_SELECTOR)
    throw refusal(`node_selector has more than ${MAX_SELECTOR} labels`)
  return {
    model: body.model_name,
    nodeSelector,
    minReplicas: min,
    maxReplicas: max,
    spreadAll: spreads,
    routePolicy: body.route_policy ?? '',
    balanceAbsThreshold: body.balance_abs_threshold ?? 0,
    balanceRelThreshold: body.balance_rel_threshold ?? 0,
    minPrefixMatch: body.min_prefix_match ?? 0,
  }
}

function refusal(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'bad_scheduling', details: DETAILS })
}

/**
 * Reads the rules of a configuration: a JSON list, or an object with a model's name for each key.
 *
 * @param source the name of the option, for errors
 * @throws {SvcError} `invalid_request` with the source and the first fault
 */
export function parseSchedulingConfig(text: string, source: string): readonly SchedulingDraft[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refusal(`${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const rows = toList(value)
  if (rows === undefined) throw refusal(`${source} is not a list of rules, nor an object with a model for each key`)
  const drafts = rows.map((row, index) => {
    const read = schedulingBody.safeParse(row)
    if (!read.success) {
      const [issue] = read.error.issues
      throw refusal(`${source}: rule ${index + 1}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`)
    }
    try {
      return checkScheduling(read.data)
    } catch (error) {
      throw SvcError.is(error) ? refusal(`${source}: ${read.data.model_name}: ${error.message}`) : error
    }
  })
  const names = drafts.map(({ model }) => model)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw refusal(`${source} has two rules for the model "${twice}"`)
  return drafts
}

function toList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).map(([model, rules]: [string, unknown]) =>
    typeof rules === 'object' && rules !== null ? { model_name: model, ...rules } : rules,
  )
}
