import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
}

/** A profile as the inspector gives it. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Shares of busy time, the largest first, as lines of text. */
export interface ProfileShares {
  readonly folders: readonly string[]
  readonly functions: readonly string[]
}

/** The comment that the bundler writes above each module. */
const MODULE_COMMENT = /^\/\/ (\S+\.[cm]?[jt]s)$/

/** The source of each line of a bundle. */
function readSources(url: string): readonly string[] {
  let source = url.slice(url.lastIndexOf('/') + 1)
  return readFileSync(fileURLToPath(url), 'utf8')
    .split('\n')
    .map((line) => {
      source = MODULE_COMMENT.exec(line)?.[1] ?? source
      return source
    })
}

/** The folder of a source: a package, a folder of the server, or a module of Node. */
function findFolder(source: string): string {
  const installed = /node_modules\/(?!\.pnpm)((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]
  if (installed !== undefined) return installed
  const own = /(packages\/[^/]+)\/src\//.exec(source)?.[1] ?? /^src\/[^/]+/.exec(source)?.[0]
  return own ?? source
}

/** Sums a profile of a bundled program up by folder and by function. */
export function sumProfile(profile: CpuProfile, count: number): ProfileShares {
  const bundles = new Map<string, readonly string[]>()
  const readSource = ({ url, lineNumber }: ProfileNode['callFrame']): string => {
    if (url === '') return '(engine)'
    if (!url.startsWith('file:')) return url
    const lines = bundles.get(url) ?? readSources(url)
    bundles.set(url, lines)
    return lines[lineNumber] ?? url
  }
  const self = new Map<number, number>()
  for (const [index, id] of profile.samples.entries()) {
    self.set(id, (self.get(id) ?? 0) + (profile.timeDeltas[index] ?? 0))
  }
  const byFolder = new Map<string, number>()
  const byFunction = new Map<string, number>()
  let busy = 0
  for (const { id, callFrame } of profile.nodes) {
    const time = self.get(id) ?? 0
    const { functionName } = callFrame
    if (time === 0 || functionName === '(idle)' || functionName === '(root)') continue
    busy += time
    const source = readSource(callFrame)
    const folder = source === '(engine)' ? functionName : findFolder(source)
    const name = `${functionName || '(anonymous)'}  ${folder}`
    byFolder.set(folder, (byFolder.get(folder) ?? 0) + time)
    byFunction.set(name, (byFunction.get(name) ?? 0) + time)
  }
  const list = (shares: ReadonlyMap<string, number>): string[] =>
    [...shares]
      .sort((one, other) => other[1] - one[1])
      .slice(0, count)
      .map(([name, time]) => `${((time / busy) * 100).toFixed(1).padStart(5)} %  ${name}`)
  return { folders: list(byFolder), functions: list(byFunction) }
}
