import { hash } from 'node:crypto'
import { copyFile, link, lstat, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { hashFile } from '../downloads/hash-file.ts'
import { toFileError } from '../files/file-error.ts'
import { type FetchedFiles, type PlacedFile, type StagedFile, signFile } from './fetch-model-files.ts'
import type { FileOwners } from './file-owners.ts'
import type { ModelPlan } from './model-plan.ts'
import { type FileUnit, findUnits, nameUnit, renameInPlan } from './relocate-files.ts'

/** A plan whose files have their last names, and the files that wait under them in the staging folder. */
export interface PlacedPlan {
  readonly plan: ModelPlan
  readonly staged: readonly StagedFile[]
  /** New names by old ones. */
  readonly renamed: ReadonlyMap<string, string>
}

/** Parts of {@link placeFiles}. */
export interface PlacingParts {
  readonly modelsPath: string
  readonly staging: string
  readonly owners: FileOwners
  readonly signal: AbortSignal
}

/** A content that is to get a place. */
type Content = { readonly text: string } | { readonly path: string; readonly sha256?: string | undefined }

/** Hexadecimal digits of a content in the name of its folder. */
const DIGITS = 16

/**
 * Gives every file of a model a place that nothing else has: its own name, or one in a folder named after its content where
 * its name belongs to another content of somebody else. Called while nobody else changes the models folder.
 *
 * @throws {SvcError} `conflict` (`file_changed`, `file_shared`), `file_failed`
 */
export async function placeFiles(plan: ModelPlan, fetched: FetchedFiles, parts: PlacingParts): Promise<PlacedPlan> {
  const { modelsPath, staging, signal } = parts
  for (const file of fetched.inPlace) await checkStillThere(file, parts)
  const contents = new Map<string, Content>([
    ...fetched.inPlace.map(({ filename, sha256 }) => [filename, { path: join(modelsPath, filename), sha256 }] as const),
    ...fetched.staged.map(({ filename, sha256 }) => [filename, { path: join(staging, filename), sha256 }] as const),
    ...plan.templates.map(({ filename, text }) => [filename, { text }] as const),
  ])
  const fresh = [...fetched.staged, ...plan.templates].map(({ filename }) => filename)
  const taken: string[] = []
  for (const filename of fresh) if (await isTaken(filename, contents.get(filename), parts)) taken.push(filename)
  const staged = new Map(fetched.staged.map((file) => [file.filename, file]))
  const renamed = new Map<string, string>()
  for (const unit of findUnits(taken, { filenames: [...contents.keys()], config: plan.config })) {
    for (const [before, after] of nameUnit(unit, await digestUnit(unit, contents, signal))) {
      const content = contents.get(before)
      if (await isTaken(after, content, parts)) throw shared(after)
      renamed.set(before, after)
      if (content === undefined || 'text' in content) continue
      await moveIntoPlace(content.path, join(staging, after), { isOurs: staged.has(before) })
      staged.set(before, { filename: after, sha256: content.sha256 })
    }
  }
  if (renamed.size === 0) return { plan, staged: fetched.staged, renamed }
  return { plan: renameInPlan(plan, renamed), staged: [...staged.values()], renamed }
}

/** A file that was taken for the right one may be another by now. @throws {SvcError} `conflict`, code `file_changed` */
async function checkStillThere({ filename, sha256, signature }: PlacedFile, parts: PlacingParts): Promise<void> {
  const path = join(parts.modelsPath, filename)
  if ((await signFile(path)) === signature) return
  const content = await hashFile(path, { signal: parts.signal }).catch(() => undefined)
  parts.signal.throwIfAborted()
  if (sha256 !== undefined && content?.sha256 === sha256) return
  throw new SvcError('conflict', `${filename} has changed while the model was installed: install it again`, {
    code: 'file_changed',
  })
}

/** Whether a place holds another content that is not this model's to replace. */
async function isTaken(
  filename: string,
  content: Content | undefined,
  { modelsPath, owners, signal }: PlacingParts,
): Promise<boolean> {
  const path = join(modelsPath, filename)
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined || content === undefined || owners.isOwn(filename)) return false
  if (!found.isFile()) return true
  const size = 'text' in content ? Buffer.byteLength(content.text) : (await lstat(content.path)).size
  if (size !== found.size) return true
  const there = await hashFile(path, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  return there?.sha256 !== (await digestContent(content, signal))
}

async function digestContent(content: Content | undefined, signal: AbortSignal): Promise<string> {
  if (content === undefined) return ''
  if ('text' in content) return hash('sha256', content.text, 'hex')
  return content.sha256 ?? (await hashFile(content.path, { signal })).sha256
}

/** The digest of a file; of several, that of their names and digests. */
async function digestUnit(
  { members }: FileUnit,
  contents: ReadonlyMap<string, Content>,
  signal: AbortSignal,
): Promise<string> {
  const lines: string[] = []
  for (const member of members) lines.push(`${await digestContent(contents.get(member), signal)} ${member}`)
  const [only = '', another] = lines
  const digest = another === undefined ? only : hash('sha256', lines.sort().join('\n'), 'hex')
  return digest.slice(0, DIGITS)
}

/** Gives a staged file its new name; a file that stays where it is for others too is linked or copied. */
async function moveIntoPlace(from: string, to: string, { isOurs }: { readonly isOurs: boolean }): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true })
    if (isOurs) return await rename(from, to)
    await rm(to, { force: true })
    await link(from, to).catch(() => copyFile(from, to))
  } catch (error) {
    throw toFileError(error, 'written', to)
  }
}

function shared(filename: string): SvcError {
  return new SvcError('conflict', `${filename} is a file of another model, and has another content`, {
    code: 'file_shared',
  })
}
