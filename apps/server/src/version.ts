import { readFileSync } from 'node:fs'

/** Version of this build. */
export interface Version {
  readonly version: string
  /** Seven hex digits; `0000000` when it was built without git. */
  readonly commit: string
}

/** Reads the package's version and the commit that the build wrote beside the entry. */
export function readVersion(): Version {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0.0.0'
  let commit = '0000000'
  try {
    commit = readFileSync(new URL('./commit.txt', import.meta.url), 'utf8').trim()
  } catch {
    // run from sources, or built without the commit step
  }
  return { version, commit: /^[0-9a-f]{7}$/.test(commit) ? commit : '0000000' }
}

/** Formats the version for `/version` and `--version` (§9). */
export function formatVersion({ version, commit }: Version): string {
  return `${version} (${commit})`
}
