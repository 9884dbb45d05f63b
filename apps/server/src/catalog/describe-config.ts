import { resolveRouterSettings } from '@svc/router'
import { isPiiEnabled } from './capabilities.ts'
import { type Field, findFieldMeta, type KeyTable, toCamelCase } from './keys/fields.ts'
import { MODEL_KEYS } from './keys/model-keys.ts'
import type { ModelConfig } from './model-config.ts'
import { toRouterSettings } from './router-block.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Gives every key of a model file as JSON: what the file says, and for the other keys the value in force. Null is the
 * value of a key that nothing sets. Keys that nobody knows stay. An alias has no other keys than its own.
 *
 * @param model with its defaults filled in
 */
export function describeConfig(model: ModelConfig): Values {
  const { raw, name } = model
  if (model.alias !== undefined) return { ...raw, name }
  return { ...describeKeys(MODEL_KEYS, raw, toValues(model)), ...listUnknown(MODEL_KEYS, raw) }
}

function describeKeys(keys: KeyTable, written: Values, values: Values): Values {
  return Object.fromEntries(
    Object.entries(keys).map(([key, field]) => [key, describeKey(field, written[key], values[toCamelCase(key)])]),
  )
}

function describeKey(field: Field, written: unknown, value: unknown): unknown {
  const keys = findFieldMeta(field)?.keys
  if (keys === undefined) return written ?? value ?? findNeutral(field)
  // An absent block has a meaning: the model is not a router, or has no detector.
  if (!isFields(written) && !isFields(value)) return null
  const own = isFields(written) ? written : {}
  return { ...describeKeys(keys, own, isFields(value) ? value : {}), ...listUnknown(keys, own) }
}

/** The value of a key that neither the file nor a default sets. */
function findNeutral(field: Field): unknown {
  switch (findFieldMeta(field)?.expected) {
    case 'a boolean':
      return false
    case 'a list':
      return []
    case 'a map':
      return {}
    default:
      return null
  }
}

function listUnknown(keys: KeyTable, written: Values): Values {
  return Object.fromEntries(Object.entries(written).filter(([key]) => !Object.hasOwn(keys, key)))
}

/** The values in force under the names that their keys have in our types. */
function toValues(model: ModelConfig): Values {
  const { llm, vllm, grpc, limits, pii, router } = model
  return {
    ...model,
    ...llm,
    ...vllm,
    grpc: { attempts: grpc.attempts, attemptsSleepTime: grpc.attemptsSleepSeconds },
    maxConcurrent: limits.maxConcurrent,
    pii: { ...pii, enabled: isPiiEnabled(model) },
    router: router && { ...router, ...resolveRouterSettings(model.name, toRouterSettings(router)) },
  }
}

function isFields(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
