import { SvcError } from '@svc/errors'
import { checkLabels, type Labels } from './labels.ts'
import type { NodeRecord } from './node-record.ts'
import type { NodeStore } from './node-store.ts'
import { parseVramBudget } from './vram-budget.ts'

/** What a node has when neither the worker nor an administrator says more. */
const DEFAULT_REPLICAS = 1
const MAX_REPLICAS = 1000

/** Labels and limits that administrators give to workers. */
export interface NodeLimits {
  /** Replaces the labels that administrators gave. @throws {SvcError} `not_found`, `invalid_request` */
  setLabels(id: string, labels: Labels): Promise<Labels>
  /** `undefined`: as the worker says when it registers next. @throws {SvcError} `not_found`, `invalid_request` */
  setMaxReplicas(id: string, value: number | undefined): Promise<void>
  /** `undefined`: as the worker says when it registers next; empty: none. @throws {SvcError} as above */
  setVramBudget(id: string, value: string | undefined): Promise<void>
}

/** Changes a worker and tells everybody. @throws {SvcError} `not_found`; `conflict` for a worker in another state */
export type ChangeNode = (...change: Parameters<NodeStore['change']>) => Promise<void>

/** @param parts `need` throws for an unknown worker */
export function createNodeLimits({
  change,
  need,
}: {
  readonly change: ChangeNode
  readonly need: (id: string) => Promise<NodeRecord>
}): NodeLimits {
  return {
    async setLabels(id, labels) {
      checkLabels(labels)
      await change(id, { ownLabels: JSON.stringify(labels) })
      return (await need(id)).labels
    },
    async setMaxReplicas(id, value) {
      if (value !== undefined && (!Number.isInteger(value) || value < 1 || value > MAX_REPLICAS)) {
        throw badValue(`value is not a whole number from 1 to ${MAX_REPLICAS}`)
      }
      await change(
        id,
        value === undefined
          ? { isMaxReplicasManual: 0, maxReplicas: DEFAULT_REPLICAS }
          : { isMaxReplicasManual: 1, maxReplicas: value },
      )
    },
    async setVramBudget(id, value) {
      if (value !== undefined && value !== '' && parseVramBudget(value) === undefined) {
        throw badValue('value is not bytes, an amount such as 8GB, or a share such as 80%')
      }
      await change(id, { isVramBudgetManual: value === undefined ? 0 : 1, vramBudget: value ?? '' })
    },
  }
}

function badValue(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'bad_value', details: { type: 'node_error' } })
}
