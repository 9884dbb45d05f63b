import { isBelowSecrets, type KeyFiles } from '../key-files/key-files.ts'
import type { ModelFile } from './config-file.ts'
import type { ModelConfig } from './model-config.ts'
import type { GrantedKeyFile, WrittenFiles } from './written-files.ts'

/** A model file with its models. */
export interface GatedFile {
  /** Name inside the models folder. */
  readonly file: string
  readonly text: string
  readonly models: readonly ModelConfig[]
}

/** A file that another one is made of. @see GatedFile */
export type SourceFile = Omit<GatedFile, 'models'>

/**
 * Decides which key files a model may name. A file that an operator put into the models folder may name any. A file that
 * the server writes for somebody else may name key files below the secrets folder. It may also name the ones of the
 * operator's file that it is made of, for the same upstream: a change over the API sends a key nowhere else.
 */
export interface KeyFileGate {
  /** @throws {SvcError} `forbidden`, code `key_file_refused` */
  check(models: readonly ModelConfig[]): Promise<void>
  /**
   * Checks a file that is about to be written, and records that the server writes it.
   *
   * @param before the file that it is made of
   * @throws {SvcError} `forbidden` (`key_file_refused`), `disk_full`, `file_failed`
   */
  admit(next: GatedFile, before?: SourceFile): Promise<void>
  /** Forgets a model file that is gone. @throws {SvcError} `disk_full`, `file_failed` */
  forget(file: string): Promise<void>
  /** Leaves out the models of a file that name a key file which they may not, with a problem for each. */
  filter(parsed: ModelFile, found: { readonly file: string; readonly content: Uint8Array }): ModelFile
}

/** Creates the gate. */
export function createKeyFileGate({
  keyFiles,
  written,
}: {
  readonly keyFiles: KeyFiles
  readonly written: WrittenFiles
}): KeyFileGate {
  const { secretsPath } = keyFiles
  const isBelow = ({ path }: GrantedKeyFile): boolean => isBelowSecrets(path, secretsPath)

  /** The key files outside the secrets folder that a file may name. */
  async function listGrants({ file, text }: SourceFile): Promise<readonly GrantedKeyFile[]> {
    const known = written.find(file, text)
    if (known !== undefined) return known.grants
    // A start does not need the parser.
    const { parseModelFile } = await import('./config-file.ts')
    return listKeyFiles(parseModelFile(text, { file, folder: '', modifiedAt: 0 }).models)
  }

  /** @returns the grants that the models use */
  async function check(
    models: readonly ModelConfig[],
    grants: readonly GrantedKeyFile[],
  ): Promise<readonly GrantedKeyFile[]> {
    const used: GrantedKeyFile[] = []
    for (const named of listKeyFiles(models)) {
      if (!isBelow(named) && isGranted(named, grants)) used.push(named)
      else await keyFiles.checkGiven(named.path)
    }
    return used
  }

  return {
    async check(models) {
      await check(models, [])
    },
    async admit({ file, text, models }, before) {
      const grants = await check(models, before === undefined ? [] : await listGrants(before))
      // A change that names no key file gives nothing away, whoever wrote it. A new file is known for what its operator
      // makes of it.
      if (before === undefined || listKeyFiles(models).length > 0) await written.note(file, text, grants)
    },
    forget: (file) => written.forget(file),
    filter(parsed, { file, content }) {
      if (listKeyFiles(parsed.models).length === 0) return parsed
      const known = written.find(file, content)
      if (known === undefined) return parsed
      const isAllowed = (model: ModelConfig): boolean =>
        listKeyFiles([model]).every((named) => isBelow(named) || isGranted(named, known.grants))
      const reason = `must lie below ${secretsPath} (--secrets-path): the file came from a gallery or over the API`
      const refused = parsed.models.filter((model) => !isAllowed(model))
      return {
        models: parsed.models.filter(isAllowed),
        problems: [...parsed.problems, ...refused.map(() => ({ file, key: 'proxy.api_key_file', reason }))],
      }
    },
  }
}

/** The key files that models name. */
function listKeyFiles(models: readonly ModelConfig[]): readonly GrantedKeyFile[] {
  return models.flatMap(({ proxy }) => {
    const { apiKeyFile: path = '', upstreamUrl = '' } = proxy ?? {}
    return path === '' ? [] : [{ path, upstream: toOrigin(upstreamUrl) }]
  })
}

function toOrigin(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : url
  // Addresses of unknown schemes have no origin.
  return origin === 'null' ? url : origin
}

function isGranted({ path, upstream }: GrantedKeyFile, grants: readonly GrantedKeyFile[]): boolean {
  return grants.some((grant) => grant.path === path && grant.upstream === upstream)
}
