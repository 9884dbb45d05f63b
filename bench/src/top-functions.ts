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

/** The shortest name of a module that still identifies its package. */
function findModule(url: string): string {
  const inPackage = /node_modules\/(?!\.pnpm)((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (inPackage !== undefined) return inPackage
  if (url.startsWith('node:')) return url
  return url === '' ? '(engine)' : (/([^/]+\/dist\/[^/]+)$/.exec(url)?.[1] ?? url.slice(url.lastIndexOf('/') + 1))
}

/** Share of busy time by module and by function, from a CPU profile. */
export function topFunctions(
  profile: CpuProfile,
  count: number,
): { readonly modules: string[]; readonly functions: string[] } {
  const self = new Map<number, number>()
  for (const [index, id] of profile.samples.entries()) {
    self.set(id, (self.get(id) ?? 0) + (profile.timeDeltas[index] ?? 0))
  }
  const byFunction = new Map<string, number>()
  const byModule = new Map<string, number>()
  let busy = 0
  for (const { id, callFrame } of profile.nodes) {
    const time = self.get(id) ?? 0
    if (time === 0 || callFrame.functionName === '(idle)' || callFrame.functionName === '(root)') continue
    busy += time
    const module = findModule(callFrame.url)
    const name = `${callFrame.functionName || '(anonymous)'}  ${module}`
    byFunction.set(name, (byFunction.get(name) ?? 0) + time)
    byModule.set(module, (byModule.get(module) ?? 0) + time)
  }
  const top = (shares: Map<string, number>): string[] =>
    [...shares]
      .sort((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(([name, time]) => `${((time / busy) * 100).toFixed(1).padStart(5)} %  ${name}`)
  return { modules: top(byModule), functions: top(byFunction) }
}
