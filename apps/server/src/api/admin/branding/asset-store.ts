import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { makeFileFolder } from '../../../files/make-folder.ts'
import { writeFileAtomic } from '../../../files/write-file-atomic.ts'
import type { Settings } from '../../../settings/settings.ts'
import type { BrandingKind } from './branding.ts'
import { findImageType } from './image-type.ts'

const SETTING = { logo: 'logo_file', logo_horizontal: 'logo_horizontal_file', favicon: 'favicon_file' } as const

/** The images of this instance. */
export interface AssetStore {
  /**
   * Replaces an image.
   *
   * @throws {SvcError} `invalid_request` for a file that is not an image, `not_found` with
   *   `--disable-runtime-settings`, `insufficient_storage`
   */
  set(kind: BrandingKind, bytes: Uint8Array): Promise<void>
  /** Goes back to the image of the server. */
  reset(kind: BrandingKind): Promise<void>
}

/** Creates the store of a folder. The settings name the files. */
export function createAssetStore({
  folder,
  settings,
}: {
  readonly folder: string
  readonly settings: Pick<Settings, 'get' | 'update'>
}): AssetStore {
  /** Names the new file first, so that a stop in between leaves a file that nobody names, never a name without a file. */
  async function replace(kind: BrandingKind, name: string | null): Promise<void> {
    const before = settings.get(SETTING[kind])
    await settings.update({ [SETTING[kind]]: name }, { owner: 'branding' })
    if (before === '' || before === name || !isOwnName(kind, before)) return
    await unlink(join(folder, before)).catch(() => {
      // It may not exist.
    })
  }
  return {
    async set(kind, bytes) {
      const type = findImageType(bytes)
      if (type === undefined)
        throw new SvcError('invalid_request', 'unsupported type: the file is not a PNG, JPEG, SVG, WebP or ICO image')
      await makeFileFolder(folder, 0o700)
      const name = `${kind}.${type}`
      await writeFileAtomic(join(folder, name), bytes, { mode: 0o600 })
      await replace(kind, name)
    },
    reset: (kind) => replace(kind, null),
  }
}

/** Whether this store has made a file of that name. */
function isOwnName(kind: BrandingKind, name: string): boolean {
  return new RegExp(`^${kind}\\.[a-z]{3,4}$`).test(name)
}
