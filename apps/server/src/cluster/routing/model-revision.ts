import { createHash } from 'node:crypto'
import type { PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import type { ModelConfig } from '../../catalog/model-config.ts'

/** Says which configuration of a model a replica has loaded. */
export type RevisionOf = (model: ModelConfig) => string

/**
 * Creates the function that names the revision of a configuration: equal requests of a load give equal names, on every
 * server. Folders of a server do not count.
 *
 * @returns 32 hexadecimal digits; `invalid` for a model whose load request cannot be made
 */
export function createRevisionOf(toLoadRequest: (model: ModelConfig) => PartialMessage<ModelOptions>): RevisionOf {
  const known = new WeakMap<ModelConfig, string>()
  return (model) => {
    const before = known.get(model)
    if (before !== undefined) return before
    const revision = compute(model, toLoadRequest)
    known.set(model, revision)
    return revision
  }
}

function compute(model: ModelConfig, toLoadRequest: Parameters<typeof createRevisionOf>[0]): string {
  try {
    const parts = [model.backend, toLoadRequest(model)]
    // A number of threads that the file does not name is that of this machine.
    const isOwnMachine = (key: string): boolean => key === 'Threads' && model.raw.threads === undefined
    const text = JSON.stringify(parts, (key, value: unknown) => {
      if (isOwnMachine(key)) return undefined
      if (typeof value === 'bigint') return `${value}n`
      return typeof value === 'string' ? withoutFolder(value, model.folder) : value
    })
    return createHash('sha256').update(text).digest('hex').slice(0, 32)
  } catch {
    // The load itself fails with the reason.
    return 'invalid'
  }
}

/** Cuts a folder off where a path begins. A folder of the same name further inside is the same on every server. */
function withoutFolder(text: string, folder: string): string {
  if (folder === '' || !text.includes(folder)) return text
  const plain = folder.replaceAll(/[^\w/]/g, String.raw`\$&`)
  return text.replaceAll(new RegExp(String.raw`(?<![\w./\\-])${plain}(?![\w.-])`, 'g'), '')
}
