import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import type { ServerConfig } from '../config/schema.ts'
import { findCaFolder } from '../interception/ca-folder.ts'
import { BACKENDS_FILE, KEYS_FILE } from '../settings/key-files.ts'
import { SETTINGS_FILE } from '../settings/settings-file.ts'

/** Files of this server that no key of a model file may read, and no installation may write. */
export interface OwnPlaces {
  /** The folder of key files that models may name over the API. */
  readonly secretsPath: string
  /** Whether an existing file is one of ours, under any name. @param real its real path */
  holdsFile(real: string): Promise<boolean>
  /** Whether a file of the models folder would take the place of one of ours. */
  reserves(path: string): boolean
}

/** The part of the configuration that says where our files are. */
export type PlacesConfig = Pick<
  ServerConfig,
  | 'authDatabaseUrl'
  | 'backendsPath'
  | 'backendsSystemPath'
  | 'configDir'
  | 'credentialsFile'
  | 'dataPath'
  | 'mitmCaDir'
  | 'modelsConfigFile'
  | 'modelsPath'
  | 'preloadModelsConfig'
  | 'pricesFile'
  | 'secretsPath'
>

/** Suffixes of the files that SQLite keeps beside a database. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal']

/** Our files in the configuration folder, with drafts and copies that a fault has left. */
const OWN_NAMES = /^\.?(?:runtime_settings|api_keys|external_backends)\.json/

/** Gives the folder of key files. */
function findSecretsPath({ secretsPath, configDir }: Pick<ServerConfig, 'secretsPath' | 'configDir'>): string {
  return secretsPath ?? join(configDir, 'secrets')
}

/** The places of a server. */
export function createOwnPlaces(config: PlacesConfig): OwnPlaces {
  const secretsPath = findSecretsPath(config)
  const folders = [config.dataPath, findCaFolder(config)]
  const named = [SETTINGS_FILE, KEYS_FILE, BACKENDS_FILE].map((name) => join(config.configDir, name))
  const files = [
    ...named,
    ...(config.credentialsFile === undefined ? [] : [config.credentialsFile]),
    ...(config.authDatabaseUrl?.startsWith(sep) ? DATABASE_SUFFIXES.map((end) => config.authDatabaseUrl + end) : []),
    join(config.dataPath, '.hmac_secret'),
    join(config.dataPath, 'database.db'),
  ]
  const written = [config.modelsConfigFile, config.preloadModelsConfig, config.pricesFile].filter(
    (file) => file !== undefined,
  )
  return {
    secretsPath,
    async holdsFile(real) {
      // The files of a process show its variables and everything that it has open.
      if (isBelow(real, '/proc')) return true
      const [secrets = '', models = '', configuration, ...own] = await Promise.all(
        [secretsPath, config.modelsPath, config.configDir, ...folders].map(toRealPath),
      )
      for (const folder of own) {
        if (folder === undefined || !isBelow(real, folder)) continue
        // Files of others may lie inside a folder of ours.
        const isOthers = [secrets, models].some((other) => isBelow(other, folder) && isBelow(real, other))
        if (!isOthers) return true
      }
      return (dirname(real) === configuration && OWN_NAMES.test(basename(real))) || isAmong(real, files)
    },
    reserves(path) {
      const { configDir, backendsPath, backendsSystemPath } = config
      const reserved = [secretsPath, configDir, backendsPath, backendsSystemPath, ...folders]
      const inside = reserved.filter((folder) => isBelow(folder, config.modelsPath))
      return inside.some((folder) => path === folder || isBelow(path, folder)) || [...files, ...written].includes(path)
    },
  }
}

/** Whether a path lies below a folder. */
export function isBelow(path: string, folder: string): boolean {
  return folder !== '' && path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** The real path; that of the folder with the name, for a file that is not there. */
async function toRealPath(path: string): Promise<string | undefined> {
  return realpath(path).catch(async () => {
    const folder = await realpath(dirname(path)).catch(() => undefined)
    return folder === undefined ? undefined : join(folder, basename(path))
  })
}

/** Whether a file is one of several, by its path or, under another name, by its place on the disk. */
async function isAmong(real: string, files: readonly string[]): Promise<boolean> {
  const found = await stat(real, { bigint: true }).catch(() => undefined)
  for (const file of files) {
    if ((await toRealPath(file)) === real) return true
    const own =
      found === undefined || found.nlink < 2n ? undefined : await stat(file, { bigint: true }).catch(() => undefined)
    if (own !== undefined && own.ino === found?.ino && own.dev === found.dev) return true
  }
  return false
}
