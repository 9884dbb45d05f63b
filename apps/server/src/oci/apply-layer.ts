import { chmod, link, lstat, mkdir, open, readdir, rm, symlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { toFileError } from '../files/file-error.ts'
import { createLinkTree, type LinkTree } from './link-tree.ts'
import { badArchive, readTar, type TarMember } from './tar-reader.ts'

/** Limits of all layers of an image together (threats ARC-2). */
export interface UnpackLimits {
  readonly maxMembers: number
  readonly maxDepth: number
  /** Unpacked bytes to which the ratio does not apply. */
  readonly ratioFreeBytes: number
  /** Unpacked bytes for each compressed one. */
  readonly maxRatio: number
}

export const UNPACK_LIMITS: UnpackLimits = {
  maxMembers: 200_000,
  maxDepth: 64,
  ratioFreeBytes: 1024 ** 3,
  maxRatio: 200,
}

/** A folder into which the layers of one image are unpacked, one upon the other. */
export interface LayerTarget {
  /** Unpacks a layer. @throws {SvcError} `archive_refused`, `disk_full`, `file_failed`; the signal's reason */
  apply(
    layer: AsyncIterable<Uint8Array>,
    options: { readonly compressedBytes: number; readonly signal: AbortSignal },
  ): Promise<void>
  /** Checks that the links of a folder at the top stay in it. @throws {SvcError} `archive_refused`; the signal's reason */
  checkFolder(name: string, options: { readonly signal: AbortSignal }): Promise<void>
}

const WHITEOUT = '.wh.'
const OPAQUE = '.wh..wh..opq'

/** A target over a fresh folder. */
export function createLayerTarget(root: string, limits: UnpackLimits = UNPACK_LIMITS): LayerTarget {
  let members = 0
  let unpackedBytes = 0
  let compressedBytes = 0
  const links = createLinkTree()

  const count = (bytes: number): void => {
    unpackedBytes += bytes
    if (unpackedBytes > limits.ratioFreeBytes && unpackedBytes > compressedBytes * limits.maxRatio) {
      throw badArchive('it unpacks to far more than it is')
    }
  }

  return {
    async apply(layer, options) {
      compressedBytes += options.compressedBytes
      /** Paths of this layer by their lower-case form. */
      const seen = new Map<string, string>()
      for await (const member of readTar(layer)) {
        options.signal.throwIfAborted()
        members += 1
        if (members > limits.maxMembers) throw badArchive(`it has more than ${limits.maxMembers} members`)
        const path = toPath(member.name, limits.maxDepth)
        if (path === '') continue
        refuseTwin(path, member, seen)
        await place(root, path, member, { seen, links, count, signal: options.signal })
      }
      await links.check(options)
    },
    checkFolder: (name, options) => links.checkFolder(name, options),
  }
}

/** The path of a member inside the root, without a slash at its ends; empty for the root. */
function toPath(name: string, maxDepth: number): string {
  if (name.startsWith('/') || /[\\\p{Cc}]/u.test(name))
    throw badArchive('a name is absolute or holds a character that no name may')
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..')) throw badArchive('a name leads out of its folder')
  if (segments.length > maxDepth) throw badArchive(`a name is deeper than ${maxDepth} folders`)
  return segments.join('/')
}

/** A layer has each name only once, in any case of its letters. Only folders may be named again. */
function refuseTwin(path: string, { kind }: TarMember, seen: Map<string, string>): void {
  const key = path.toLowerCase()
  const before = seen.get(key)
  if (before !== undefined && !(before === path && kind === 'folder')) {
    throw badArchive('it has two members of one name')
  }
  seen.set(key, path)
}

interface Placing {
  readonly seen: ReadonlyMap<string, string>
  /** Links of all layers so far. */
  readonly links: LinkTree
  readonly count: (bytes: number) => void
  readonly signal: AbortSignal
}

async function place(root: string, path: string, member: TarMember, placing: Placing): Promise<void> {
  const name = posix.basename(path)
  await makeParents(root, path)
  if (name === OPAQUE) return clearFolder(root, posix.dirname(path), placing)
  if (name.startsWith(WHITEOUT)) return removeLower(root, path, placing)
  const target = join(root, path)
  const there = await lstat(target).catch(() => undefined)
  if (there !== undefined && !(member.kind === 'folder' && there.isDirectory())) placing.links.remove(path)
  try {
    if (member.kind === 'folder') {
      if (there !== undefined && !there.isDirectory()) await rm(target, { force: true })
      await mkdir(target, { recursive: true, mode: 0o755 })
      return
    }
    if (there?.isDirectory() === true) {
      // A layer may replace a folder of a lower one, and never one of its own.
      if (hasOwn(placing.seen, path)) throw badArchive('a member stands where a folder is')
      await rm(target, { recursive: true, force: true })
    } else if (there !== undefined) await rm(target, { force: true })
    if (member.kind === 'file') await writeMember(target, member, placing)
    else if (member.kind === 'symlink') {
      placing.links.add(path, member.linkName)
      await symlink(member.linkName, target)
    } else await hardlink(root, target, member.linkName)
  } catch (error) {
    placing.signal.throwIfAborted()
    if (error instanceof Error && 'kind' in error) throw error
    throw toFileError(error, 'unpacked', target)
  }
}

function hasOwn(seen: ReadonlyMap<string, string>, folder: string): boolean {
  const prefix = `${folder.toLowerCase()}/`
  for (const key of seen.keys()) if (key.startsWith(prefix)) return true
  return false
}

/** Makes the folders above a path. None of them may be a link. */
async function makeParents(root: string, path: string): Promise<void> {
  let folder = root
  for (const segment of posix.dirname(path).split('/')) {
    if (segment === '.') continue
    folder = join(folder, segment)
    const there = await lstat(folder).catch(() => undefined)
    if (there === undefined) await mkdir(folder, { mode: 0o755 })
    else if (!there.isDirectory()) throw badArchive('a folder of a name is a file or a link')
  }
}

async function writeMember(target: string, member: TarMember, { count, signal }: Placing): Promise<void> {
  const file = await open(target, 'wx', 0o600)
  try {
    for await (const piece of member.content) {
      signal.throwIfAborted()
      count(piece.length)
      await file.writeFile(piece)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  await chmod(target, member.isExecutable ? 0o755 : 0o644)
}

async function hardlink(root: string, target: string, linkName: string): Promise<void> {
  const path = toPath(linkName, UNPACK_LIMITS.maxDepth)
  await makeParents(root, path)
  const source = join(root, path)
  const there = await lstat(source).catch(() => undefined)
  if (there?.isFile() !== true) throw badArchive('a link leads to no file of the archive')
  await link(source, target)
}

/** Removes the entries of lower layers at a path. */
async function removeLower(root: string, path: string, { seen, links }: Placing): Promise<void> {
  const name = posix.basename(path).slice(WHITEOUT.length)
  if (name === '' || name === '.' || name === '..') throw badArchive('a removal names nothing')
  const gone = posix.join(posix.dirname(path), name)
  if (seen.has(gone.toLowerCase())) throw badArchive('it removes a member of its own')
  links.remove(gone)
  await rm(join(root, gone), { recursive: true, force: true })
}

/** Removes the entries of lower layers in a folder. */
async function clearFolder(root: string, folder: string, { seen, links }: Placing): Promise<void> {
  for (const name of await readdir(join(root, folder))) {
    const path = posix.join(folder, name)
    if (seen.has(path.toLowerCase()) || hasOwn(seen, path)) continue
    links.remove(path)
    await rm(join(root, path), { recursive: true, force: true })
  }
}
