import { SvcError } from '@svc/errors'
import type { NodeResources } from '../contract/nodes.ts'

/** Labels by their keys. */
export type Labels = Readonly<Record<string, string>>

const MAX_LABELS = 64
const KEY = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$/
const MAX_VALUE = 256
/** Characters of all keys and values: every server holds the labels of all nodes. */
const MAX_ALL = 8192
const GIB = 2 ** 30
/** Sizes of device memory as labels name them, the largest first. */
const SIZES = [
  [80, '80GB+'],
  [48, '48GB'],
  [24, '24GB'],
  [16, '16GB'],
  [8, '8GB'],
] as const
/** A card of 16 GB reports a little less. */
const TOLERANCE = 0.93

/** @throws {SvcError} `invalid_request` for labels that are too many, or badly formed */
export function checkLabels(labels: Labels): void {
  const entries = Object.entries(labels)
  if (entries.length > MAX_LABELS) throw badLabels(`a node has at most ${MAX_LABELS} labels`)
  for (const [key, value] of entries) {
    if (!KEY.test(key)) {
      throw badLabels(
        `the label "${key.slice(0, 64)}" is not letters, digits and . _ / - with a letter or digit at both ends`,
      )
    }
    if (value.length > MAX_VALUE) throw badLabels(`the value of label "${key}" is longer than ${MAX_VALUE} characters`)
  }
  const size = entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  if (size > MAX_ALL) throw badLabels(`the labels of a node are longer than ${MAX_ALL} characters`)
}

function badLabels(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'bad_labels', details: { type: 'node_error' } })
}

/** The labels that the server gives to a worker. */
export function automaticLabels(
  name: string,
  { gpuVendor, totalVram }: Pick<NodeResources, 'gpuVendor' | 'totalVram'>,
): Labels {
  const size = SIZES.find(([gib]) => totalVram >= gib * GIB * TOLERANCE)?.[1]
  return {
    'node.name': name,
    ...(gpuVendor === '' ? {} : { 'gpu.vendor': gpuVendor }),
    ...(size === undefined ? {} : { 'gpu.vram': size }),
  }
}
