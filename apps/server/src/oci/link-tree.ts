import { badArchive } from './tar-reader.ts'

/**
 * The symbolic links of an image, followed as the system follows them. Paths are relative to the root and have neither
 * empty segments nor `.` and `..`.
 */
export interface LinkTree {
  /**
   * Adds a link and follows it over the links that are there.
   *
   * @throws {SvcError} `archive_refused` for one that leads out of the root
   */
  add(path: string, target: string): void
  /** Forgets a link, or all links below a folder. */
  remove(path: string): void
  /**
   * Follows every link again where links have changed since the last call: a later link can lead an earlier one elsewhere.
   *
   * @throws {SvcError} `archive_refused`; the signal's reason
   */
  check(options: CheckOptions): Promise<void>
  /**
   * Checks that the links of a folder at the top stay in it, before it becomes a root of its own.
   *
   * @throws as {@link LinkTree.check}
   */
  checkFolder(name: string, options: CheckOptions): Promise<void>
}

interface CheckOptions {
  readonly signal: AbortSignal
}

/** A folder with links somewhere below it, or a link. */
interface Place {
  readonly children: Map<string, Place>
  readonly parent: Place | undefined
  /** Where the link leads. */
  target: string | undefined
}

/** Largest number of links in a row, as in Linux. */
const MAX_HOPS = 40
/** Links that are followed in one turn of the event loop. */
const TURN = 1000
/** Many layers with many links are made to take time. */
const MAX_FOLLOWED = 5_000_000

/** Names that are one name on some systems have one key, so that a link counts under each of them. */
const toKey = (segment: string): string => segment.normalize('NFC').toLowerCase()

const createPlace = (parent?: Place): Place => ({ children: new Map(), parent, target: undefined })

/** A tree without links. */
export function createLinkTree(): LinkTree {
  const root = createPlace()
  let hasChanged = false
  let followed = 0

  function find(path: string): Place | undefined {
    let place: Place | undefined = root
    for (const segment of path.split('/')) place = place?.children.get(toKey(segment))
    return place
  }

  async function followAll(top: Place, { signal, floor }: CheckOptions & { readonly floor: number }): Promise<void> {
    for (const place of walk(top)) {
      if (place.target === undefined) continue
      follow(place, { root, floor })
      followed += 1
      if (followed > MAX_FOLLOWED) throw badArchive('it has too many links')
      if (followed % TURN !== 0) continue
      await new Promise(setImmediate)
      signal.throwIfAborted()
    }
  }

  return {
    add(path, target) {
      if (target === '' || target.startsWith('/') || /[\\\p{Cc}]/u.test(target)) throw leadsOut()
      let place = root
      for (const segment of path.split('/')) {
        const next: Place = place.children.get(toKey(segment)) ?? createPlace(place)
        place.children.set(toKey(segment), next)
        place = next
      }
      place.target = target
      hasChanged = true
      follow(place, { root, floor: 0 })
    },
    remove(path) {
      const place = find(path)
      if (place === undefined) return
      place.parent?.children.delete(toKey(path.slice(path.lastIndexOf('/') + 1)))
      hasChanged = true
    },
    async check({ signal }) {
      if (hasChanged) await followAll(root, { signal, floor: 0 })
      hasChanged = false
    },
    async checkFolder(name, { signal }) {
      const top = find(name)
      if (top !== undefined) await followAll(top, { signal, floor: 1 })
    },
  }
}

function* walk(root: Place): Generator<Place> {
  const left = [root]
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    yield place
    for (const child of place.children.values()) left.push(child)
  }
}

/**
 * Walks from a link to where it leads. Folders without links are not in the tree: undefined means such a folder.
 *
 * @param floor number of folders from the root that the walk must not leave
 */
function follow(link: Place, { root, floor }: { readonly root: Place; readonly floor: number }): void {
  const stack: (Place | undefined)[] = []
  for (let place = link.parent; place !== undefined && place !== root; place = place.parent) stack.unshift(place)
  const segments = (link.target ?? '').split('/').reverse()
  let hops = 0
  for (let segment = segments.pop(); segment !== undefined; segment = segments.pop()) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') {
      if (stack.length <= floor) throw leadsOut()
      stack.pop()
      continue
    }
    const folder = stack.length === 0 ? root : stack.at(-1)
    const next = folder?.children.get(toKey(segment))
    if (next?.target === undefined) {
      stack.push(next)
      continue
    }
    hops += 1
    if (hops > MAX_HOPS) throw badArchive('a link leads through too many others')
    segments.push(...next.target.split('/').reverse())
  }
}

const leadsOut = (): Error => badArchive('a link leads out of its folder')
