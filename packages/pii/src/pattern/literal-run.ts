import type { PatternNode } from './ast.ts'

/** Length of the literal run that every pattern must contain (§2.11). */
export const MIN_LITERAL_RUN = 3

/**
 * Shape of one path through a node, with numbers capped at the required run: literal characters at its start and at its
 * end, whether there is nothing else, and whether a long enough run is inside.
 */
interface Path {
  readonly prefix: number
  readonly suffix: number
  readonly pure: boolean
  readonly found: boolean
}

/** Paths by their key: at most a few dozen different ones, for any pattern. */
type Paths = ReadonlyMap<number, Path>

const NOTHING: Path = { prefix: 0, suffix: 0, pure: true, found: false }
const OTHER: Path = { prefix: 0, suffix: 0, pure: false, found: false }

/** Whether every path through a pattern has a long enough contiguous run of literal characters. */
export function hasLiteralRun(node: PatternNode): boolean {
  return [...findPaths(node).values()].every((path) => path.found)
}

function findPaths(node: PatternNode): Paths {
  switch (node.kind) {
    case 'literal':
      return collect([{ prefix: 1, suffix: 1, pure: true, found: false }])
    case 'class':
      return collect([OTHER])
    case 'assertion':
      return collect([NOTHING])
    case 'sequence':
      return node.items.reduce<Paths>((paths, item) => join(paths, findPaths(item)), collect([NOTHING]))
    case 'choice':
      return collect(node.arms.flatMap((arm) => [...findPaths(arm).values()]))
    case 'repeat':
      return repeated(findPaths(node.body), node.min, node.max)
  }
}

/** Paths of `min` to `max` rounds; once a further round adds no new path, none ever will. */
function repeated(body: Paths, min: number, max: number): Paths {
  let round: Paths = collect([NOTHING])
  for (let count = 0; count < min; count++) {
    const next = join(round, body)
    if (sameKeys(next, round)) break
    round = next
  }
  let all = round
  for (let count = min; count < max; count++) {
    round = join(round, body)
    const more = collect([...all.values(), ...round.values()])
    if (more.size === all.size) break
    all = more
  }
  return all
}

function join(left: Paths, right: Paths): Paths {
  const joined: Path[] = []
  for (const one of left.values()) {
    for (const other of right.values()) {
      const across = one.suffix + other.prefix
      joined.push({
        prefix: one.pure ? one.prefix + other.prefix : one.prefix,
        suffix: other.pure ? one.suffix + other.suffix : other.suffix,
        pure: one.pure && other.pure,
        found: one.found || other.found || across >= MIN_LITERAL_RUN,
      })
    }
  }
  return collect(joined)
}

function collect(paths: readonly Path[]): Paths {
  const byKey = new Map<number, Path>()
  for (const { prefix, suffix, pure, found } of paths) {
    const path = { prefix: Math.min(prefix, MIN_LITERAL_RUN), suffix: Math.min(suffix, MIN_LITERAL_RUN), pure, found }
    byKey.set(path.prefix * 16 + path.suffix * 4 + (pure ? 2 : 0) + (found ? 1 : 0), path)
  }
  return byKey
}

function sameKeys(one: Paths, other: Paths): boolean {
  return one.size === other.size && [...one.keys()].every((key) => other.has(key))
}
