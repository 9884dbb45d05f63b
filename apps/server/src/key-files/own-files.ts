import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SvcError } from '@svc/errors'
import { listNames } from '../catalog/keys/named-paths.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { OwnPlaces } from './own-places.ts'

/** Refuses a model with a file of the server among its files. @throws {SvcError} `forbidden`, code `own_file` */
export type CheckOwnFiles = (model: Pick<ModelConfig, 'folder' | 'raw'>) => Promise<void>

/**
 * Creates the check. It looks at every key that may name a file, links followed, also at keys that only an engine
 * reads.
 */
export function createOwnFileCheck(places: Pick<OwnPlaces, 'holdsFile'>): CheckOwnFiles {
  return async ({ folder, raw }) => {
    const names = listNames(raw).flatMap(({ text, kind }) =>
      kind === 'template' ? [] : kind === 'option' ? [text, ...text.split(/[\s"'`,;|=:()[\]{}]+/)] : [text],
    )
    for (const name of new Set(names)) {
      if (name === '' || name.includes('\0')) continue
      const real = await realpath(resolve(folder, name)).catch(() => undefined)
      if (real === undefined || !(await places.holdsFile(real))) continue
      throw new SvcError('forbidden', 'its configuration names a file of this server', { code: 'own_file' })
    }
  }
}
