import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { openZip } from '@svc/documents/zip'
import { readDecompressed } from '../../oci/decompress.ts'
import { readTar } from '../../oci/tar-reader.ts'
import { checkResourcePath, SKILL_FILE, SKILL_LIMITS, wrongSkill } from './skill.ts'

/** Files by their paths. */
export type SkillFiles = ReadonlyMap<string, Uint8Array>

const BLOCK = 512
const compress = promisify(gzip)
/** Bytes of a tar archive: its files, and what is passed over. */
const MAX_TAR_BYTES = 2 * SKILL_LIMITS.totalBytes
/** What programs add to archives beside the files of their users. */
const PASSED_OVER = /(?:^|\/)(?:__MACOSX|\.DS_Store|\._[^/]*|\.git(?:\/.*)?)(?:$|\/)/u

/** Packs a skill as a gzipped tar archive with one folder. */
export async function packSkill(name: string, files: SkillFiles): Promise<Uint8Array> {
  const blocks: Uint8Array[] = []
  for (const [path, bytes] of files) {
    blocks.push(createHeader(name, path, bytes.length), bytes, new Uint8Array((BLOCK - (bytes.length % BLOCK)) % BLOCK))
  }
  return compress(Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)]))
}

/** A header of POSIX: the folder is its prefix. */
function createHeader(folder: string, path: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(path, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(folder, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/**
 * Unpacks a skill: a tar archive, also gzipped, or a ZIP archive, with `SKILL.md` at its top or in its one folder.
 *
 * @throws {SvcError} `invalid_request`, `unprocessable`, `too_large`
 */
export async function unpackSkill(path: string, signal: AbortSignal): Promise<SkillFiles> {
  const found = new Map<string, Uint8Array>()
  let total = 0

  async function add(written: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const name = written.replace(/^\.\//u, '')
    if (name.endsWith('/') || PASSED_OVER.test(name)) return
    if (found.size >= SKILL_LIMITS.files) throw wrongSkill(`the skill has more than ${SKILL_LIMITS.files} files`)
    if (found.has(name)) throw wrongSkill('the archive has two files of one name')
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const piece of content) {
      length += piece.length
      total += piece.length
      if (length > SKILL_LIMITS.fileBytes || total > SKILL_LIMITS.totalBytes) {
        throw wrongSkill(
          `the skill is larger than ${SKILL_LIMITS.totalBytes} bytes, or one file than ${SKILL_LIMITS.fileBytes}`,
        )
      }
      pieces.push(piece)
    }
    found.set(name, Buffer.concat(pieces))
    // A large archive takes a while: others have their turn between two files.
    await nextTurn()
  }

  const start = await readFile(path, { signal })
  if (start.length > SKILL_LIMITS.totalBytes)
    throw wrongSkill(`the archive is larger than ${SKILL_LIMITS.totalBytes} bytes`)
  if (start.subarray(0, 2).toString('latin1') === 'PK') {
    await unzip(start, add)
  } else {
    for await (const { name, kind, content } of readTar(limitBytes(readDecompressed(path, { signal })))) {
      if (kind === 'symlink' || kind === 'hardlink') throw wrongSkill('the skill has links')
      if (kind === 'file') await add(name, content)
    }
  }
  return enterFolder(found)
}

/** Ends an archive that unpacks to much more than a skill has, also where nobody reads it. */
async function* limitBytes(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let left = MAX_TAR_BYTES
  for await (const piece of source) {
    left -= piece.length
    if (left < 0) throw wrongSkill(`the archive unpacks to more than ${MAX_TAR_BYTES} bytes`)
    yield piece
  }
}

async function unzip(
  bytes: Uint8Array,
  add: (name: string, content: Iterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  try {
    const zip = openZip(bytes)
    for (const name of zip.names) await add(name, zip.read(name))
  } catch (error) {
    if (!(error instanceof Error && error.name === 'DocumentError')) throw error
    throw wrongSkill(error.message.replace('the document', 'the archive'), error)
  }
}

/** Removes the one folder around the files, and checks their paths. */
function enterFolder(found: SkillFiles): SkillFiles {
  const top = found.has(SKILL_FILE)
    ? ''
    : [...found.keys()].find((name) => /^[^/]+\/SKILL\.md$/u.test(name))?.slice(0, -SKILL_FILE.length)
  if (top === undefined) throw wrongSkill('the archive has no SKILL.md at its top or in its one folder')
  if ((found.get(`${top}${SKILL_FILE}`)?.length ?? 0) > SKILL_LIMITS.headBytes) {
    throw wrongSkill(`SKILL.md: has more than ${SKILL_LIMITS.headBytes} bytes`)
  }
  const files = new Map<string, Uint8Array>()
  const folded = new Set<string>()
  for (const [name, bytes] of found) {
    if (!name.startsWith(top)) throw wrongSkill('the archive has files beside the folder of the skill')
    const path = name.slice(top.length)
    if (path !== SKILL_FILE) checkResourcePath(path)
    if (folded.has(path.toLowerCase())) throw wrongSkill(`two files of the skill differ in case alone: ${path}`)
    folded.add(path.toLowerCase())
    files.set(path, bytes)
  }
  return files
}
