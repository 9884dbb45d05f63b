import { createHash } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type FetchedFiles, NOTHING_FETCHED, signFile } from './fetch-model-files.ts'
import type { FileOwners } from './file-owners.ts'
import { EMPTY_DOCUMENT } from './model-document.ts'
import { planModel } from './model-plan.ts'
import { type PlacedPlan, placeFiles } from './place-files.ts'

type Folder = Awaited<ReturnType<typeof tempDir>>

const NOBODYS: FileOwners = { isOwn: () => false, comesFrom: () => false }

const hash = (content: string): string => createHash('sha256').update(content).digest('hex')
const digits = (content: string): string => hash(content).slice(0, 16)

async function write(folder: Folder, path: string, content: string): Promise<void> {
  await mkdir(dirname(folder.join(path)), { recursive: true })
  await writeFile(folder.join(path), content)
}

async function place(folder: Folder, fetched: FetchedFiles, owners = NOBODYS): Promise<PlacedPlan> {
  const filenames = [...fetched.inPlace, ...fetched.staged].map(({ filename }) => filename)
  const [model] = filenames
  const files = filenames.map((filename) => ({ filename, uri: `https://example.com/${filename}` }))
  const entry = { name: 'm', files, configFile: { backend: 'mock', parameters: { model } }, overrides: {} }
  return placeFiles(planModel(entry, EMPTY_DOCUMENT, {}), fetched, {
    modelsPath: folder.join('models'),
    staging: folder.join('staging'),
    owners,
    signal: AbortSignal.timeout(60_000),
  })
}

/** Puts a file into the staging folder. */
async function stage(folder: Folder, filename: string, content: string): Promise<FetchedFiles> {
  await write(folder, `staging/${filename}`, content)
  return { ...NOTHING_FETCHED, staged: [{ filename, sha256: hash(content) }] }
}

/** Takes a file of the models folder for the right one. */
async function findThere(folder: Folder, filename: string, content: string): Promise<FetchedFiles> {
  await write(folder, `models/${filename}`, content)
  const signature = (await signFile(folder.join(`models/${filename}`))) ?? ''
  return { ...NOTHING_FETCHED, inPlace: [{ filename, sha256: hash(content), signature }] }
}

describe('a file of an installation', () => {
  it.each<[string, string | undefined, FileOwners, string]>([
    ['nothing', undefined, NOBODYS, 'w.bin'],
    ['the same content', 'new', NOBODYS, 'w.bin'],
    ['another content of the same size', 'old', NOBODYS, `${digits('new')}/w.bin`],
    ['another content of another size', 'older', NOBODYS, `${digits('new')}/w.bin`],
    ['an empty file', '', NOBODYS, `${digits('new')}/w.bin`],
    ['an older file of the model', 'old', { ...NOBODYS, isOwn: () => true }, 'w.bin'],
  ])('finds its place beside %s', async (_what, there, owners, expected) => {
    await using folder = await tempDir()
    if (there !== undefined) await write(folder, 'models/w.bin', there)
    const { plan, staged } = await place(folder, await stage(folder, 'w.bin', 'new'), owners)
    expect([plan.files[0]?.filename, staged[0]?.filename]).toEqual([expected, expected])
    expect(plan.configText).toContain(`model: ${expected}`)
    expect(await readFile(folder.join(`staging/${expected}`), 'utf8')).toBe('new')
  })

  it('gets a second name beside a folder of its name', async () => {
    await using folder = await tempDir()
    await mkdir(folder.join('models/w.bin'), { recursive: true })
    const { plan } = await place(folder, await stage(folder, 'w.bin', 'new'))
    expect(plan.files[0]?.filename).toBe(`${digits('new')}/w.bin`)
  })

  it('is refused where the second place has another content too', async () => {
    await using folder = await tempDir()
    await write(folder, 'models/w.bin', 'old')
    await write(folder, `models/${digits('new')}/w.bin`, 'odd')
    const placed = place(folder, await stage(folder, 'w.bin', 'new'))
    await expect(placed).rejects.toMatchObject({ kind: 'conflict', code: 'file_shared' })
  })
})

describe('a file that was there already', () => {
  it('stays, also where it was written again with the same content', async () => {
    await using folder = await tempDir()
    const fetched = await findThere(folder, 'w.bin', 'new')
    expect((await place(folder, fetched)).staged).toEqual([])
    await write(folder, 'other', 'new')
    await rm(folder.join('models/w.bin'))
    await link(folder.join('other'), folder.join('models/w.bin'))
    expect((await place(folder, fetched)).staged).toEqual([])
  })

  it.each<[string, string | undefined]>([
    ['changed', 'odd'],
    ['removed', undefined],
  ])('and was %s meanwhile ends the installation', async (_what, content) => {
    await using folder = await tempDir()
    const fetched = await findThere(folder, 'w.bin', 'new')
    await rm(folder.join('models/w.bin'))
    if (content !== undefined) await write(folder, 'models/w.bin', content)
    await expect(place(folder, fetched)).rejects.toMatchObject({ kind: 'conflict', code: 'file_changed' })
  })
})
