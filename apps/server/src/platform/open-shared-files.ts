import { join } from 'node:path'
import type { Bus } from '../bus/bus.ts'
import { INSTALLED_PREFIX, type WrittenFiles } from '../catalog/written-files.ts'
import { MODEL_FILE_LIMITS } from '../catalog/yaml/limits.ts'
import type { ChangeParts } from '../cluster/shared-files/apply-change.ts'
import { createFolderSync, type FolderSync } from '../cluster/shared-files/folder-sync.ts'
import { followFolder } from '../cluster/shared-files/follow-folder.ts'
import { openLocalFolder } from '../cluster/shared-files/local-folder.ts'
import { createSharedDocuments } from '../cluster/shared-files/shared-documents.ts'
import { shareWrittenFiles } from '../cluster/shared-files/written-facts.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { makeFolder } from '../files/make-folder.ts'
import { MAX_JSON_FILE_BYTES } from '../files/read-json-file.ts'
import type { Clock, Logger } from '../ports.ts'
import { MAX_ASSET_BYTES } from '../settings/branding-limits.ts'
import { KEYS_FILE } from '../settings/key-files.ts'

/** Options of {@link openSharedFiles}. */
export interface SharedFilesOptions {
  readonly config: ServerConfig
  readonly database: Pick<Database, 'queries' | 'dialect' | 'instanceId'>
  readonly written: WrittenFiles
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Logger
}

/** The folders whose files all front ends have. */
export interface SharedFiles {
  /** Compares the model files now: gives changes to the others, and takes theirs. Never rejects. */
  shareModels(): Promise<void>
  /** Compares the folders from now on. @returns a function that ends it */
  follow(parts: {
    /** Reads the models folder again. */
    readonly reload: () => Promise<unknown>
    /** Runs a change of the models folder while no other one runs. */
    readonly alone: NonNullable<ChangeParts['alone']>
  }): () => Promise<void>
}

/** One kind of shared files. */
interface Kind {
  readonly kind: 'model' | 'key-file' | 'branding'
  readonly folder: string
  readonly accepts: (name: string) => boolean
  readonly maxBytes: number
  readonly mode: number
}

const MODEL_FILE = /^[^.].*\.(ya?ml|tmpl)$/i

/** Files of models: their configuration, templates and records of installations; never weights. */
function isModelFile(name: string): boolean {
  return MODEL_FILE.test(name) || (name.startsWith(INSTALLED_PREFIX) && /\.ya?ml$/i.test(name))
}

/** Opens the shared folders and brings the files of the cluster to this front end. */
export async function openSharedFiles(options: SharedFilesOptions): Promise<SharedFiles> {
  const { config, written, bus, clock } = options
  await makeFolder(join(config.configDir, 'branding'), { what: 'folder of branding', mode: 0o700 })
  let alone: NonNullable<ChangeParts['alone']> = (change) => change()
  const opened = listKinds(config).map((kind) => ({
    kind: kind.kind,
    sync: openSync(kind, options, {
      ...(kind.kind === 'model' ? shareWrittenFiles(written) : {}),
      alone: (change) => (kind.kind === 'model' ? alone(change) : change()),
    }),
  }))
  for (const { sync } of opened) await sync.run()
  let lookAtModels: () => Promise<void> = async () => undefined
  return {
    shareModels: () => lookAtModels().catch(() => undefined),
    follow(parts) {
      alone = parts.alone
      const followers = opened.map(({ kind, sync }) => {
        const onPulled = kind === 'model' ? parts.reload : async () => undefined
        return { kind, ...followFolder({ kind, sync, onPulled, bus, clock }) }
      })
      lookAtModels = async () => followers.find(({ kind }) => kind === 'model')?.look()
      const end = bus.subscribe('models.changed', () => void lookAtModels())
      const endSettings = bus.subscribe('settings.changed', () => {
        for (const { kind, look } of followers) if (kind !== 'model') void look()
      })
      return async () => {
        end()
        endSettings()
        await Promise.all(followers.map(({ close }) => close()))
      }
    },
  }
}

function listKinds(config: ServerConfig): readonly Kind[] {
  const models: Kind = {
    kind: 'model',
    folder: config.modelsPath,
    accepts: isModelFile,
    maxBytes: MODEL_FILE_LIMITS.bytes,
    mode: 0o644,
  }
  const others: readonly Kind[] = [
    {
      kind: 'key-file',
      folder: config.configDir,
      accepts: (name) => name === KEYS_FILE,
      maxBytes: MAX_JSON_FILE_BYTES,
      mode: 0o600,
    },
    {
      kind: 'branding',
      folder: join(config.configDir, 'branding'),
      accepts: (name) => /^[a-z_]+\.[a-z]{3,4}$/.test(name),
      maxBytes: MAX_ASSET_BYTES,
      mode: 0o600,
    },
  ]
  // Front ends that see the same models folder have the same files.
  return config.distributedSharedModels ? others : [models, ...others]
}

function openSync(
  { kind, folder, accepts, maxBytes, mode }: Kind,
  { config, database, bus, clock, log: logger }: SharedFilesOptions,
  hooks: Pick<ChangeParts, 'describe' | 'onWrite' | 'alone'>,
): FolderSync {
  return createFolderSync({
    ...hooks,
    kind,
    accepts,
    documents: createSharedDocuments(database, kind),
    local: openLocalFolder({ folder, accepts, maxBytes, mode, now: () => clock.now() }),
    ledgerPath: join(config.dataPath, `shared-${kind}-files.json`),
    instanceId: database.instanceId,
    onPushed: () => bus.publish('files.changed', { kind }),
    clock,
    logger,
  })
}
