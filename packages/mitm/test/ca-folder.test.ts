import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCaFolder, openAuthority, readAuthority } from '@svc/mitm'
import { type TempDir, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const open = (path: string) => openAuthority({ store: createCaFolder(path) })

/** Moves a file of an authority to a folder beside it, and leaves a link. @returns the new path */
async function linkFile(ca: string, name: string): Promise<string> {
  const folder = `${ca}-provided`
  await mkdir(folder, { recursive: true })
  await rename(`${ca}/${name}`, `${folder}/${name}`)
  await symlink(`../ca-provided/${name}`, `${ca}/${name}`)
  return `${folder}/${name}`
}

/** Every file below a folder with its content. */
async function snapshot(dir: TempDir): Promise<Record<string, string>> {
  const entries = await readdir(dir.path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`)
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const)),
  )
}

/**
 * Opens the authority in a process of its own that kills itself before the nth step on the file system, and ends well
 * when there are fewer.
 */
function openAndDie(path: string, step: number): ChildProcess {
  const program = `
    import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    let left = ${step}
    const count = () => { left -= 1; if (left === 0) process.kill(process.pid, 'SIGKILL') }
    const wrap = (owner, name) => {
      const original = owner[name]
      owner[name] = function (...given) { count(); return Reflect.apply(original, this, given) }
    }
    const probe = await fs.open(process.execPath)
    for (const name of ['writeFile', 'chmod', 'sync', 'close']) wrap(Object.getPrototypeOf(probe), name)
    for (const name of ['mkdir', 'mkdtemp', 'open', 'rename', 'readdir', 'lstat', 'readFile', 'rm']) wrap(fs, name)
    syncBuiltinESMExports()
    const { createCaFolder, openAuthority } = await import('@svc/mitm')
    const { fingerprint } = await openAuthority({ store: createCaFolder(${JSON.stringify(path)}) })
    console.log(fingerprint)
  `
  return spawn(
    process.execPath,
    ['--conditions=@svc/source', '--import', 'tsx', '--input-type=module', '-e', program],
    {
      cwd: PACKAGE,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
}

async function finish(child: ChildProcess): Promise<{ readonly signal: string | null; readonly output: string }> {
  let output = ''
  child.stdout?.on('data', (bytes) => {
    output += bytes
  })
  const [, signal] = await once(child, 'close')
  return { signal, output: output.trim() }
}

it('makes the folder, the certificate and the key with their modes, and reads them again', async () => {
  await using dir = await tempDir()
  const first = await open(dir.join('below', 'ca'))
  expect(await readdir(dir.join('below'))).toEqual(['ca'])
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  expect(await mode(dir.join('below', 'ca'))).toBe('700')
  expect(await mode(dir.join('below', 'ca', 'ca.key'))).toBe('600')
  expect(await mode(dir.join('below', 'ca', 'ca.crt'))).toBe('644')
  expect((await open(dir.join('below', 'ca'))).fingerprint).toBe(first.fingerprint)
})

it('is read without being made', async () => {
  await using dir = await tempDir()
  const store = createCaFolder(dir.join('ca'))
  expect(await readAuthority({ store })).toBeUndefined()
  expect(await readdir(dir.path)).toEqual([])
  const { certificate, fingerprint } = await openAuthority({ store })
  expect(await readAuthority({ store })).toMatchObject({ certificate, fingerprint })
  await rm(dir.join('ca', 'ca.key'))
  await expect(readAuthority({ store })).rejects.toMatchObject({ code: 'mitm_authority_unusable' })
})

it('fills an empty folder', async () => {
  await using dir = await tempDir()
  await mkdir(dir.join('ca'), { mode: 0o755 })
  await open(dir.join('ca'))
  expect((await stat(dir.join('ca'))).mode & 0o777).toBe(0o700)
})

it.each<[string, (ca: string) => Promise<unknown>, RegExp]>([
  ['the key is missing', (ca) => rm(`${ca}/ca.key`), /holds ca\.crt without ca\.key; restore ca\.key/],
  ['the certificate is missing', (ca) => rm(`${ca}/ca.crt`), /holds ca\.key without ca\.crt/],
  ['others can read the key', (ca) => chmod(`${ca}/ca.key`, 0o644), /run chmod 600/],
  ['a group can read the key', (ca) => chmod(`${ca}/ca.key`, 0o640), /run chmod 600/],
  ['others can enter the folder', (ca) => chmod(ca, 0o755), /run chmod 700/],
  ['the certificate is empty', (ca) => writeFile(`${ca}/ca.crt`, ''), /certificate cannot be read/],
  [
    'the key is cut off',
    async (ca) => writeFile(`${ca}/ca.key`, (await readFile(`${ca}/ca.key`)).subarray(0, 90)),
    /key cannot be read/,
  ],
  [
    'the folder is a link to nothing',
    async (ca) => {
      await rename(ca, `${ca}-real`)
      await symlink(`${ca}-gone`, ca)
    },
    /link to a folder that does not exist/,
  ],
  ['the folder is a link to itself', (ca) => rename(ca, `${ca}-real`).then(() => symlink(ca, ca)), /cannot be read/],
  ['the key is a link to nothing', (ca) => linkFile(ca, 'ca.key').then((real) => rm(real)), /ca\.key cannot be read/],
  ['the certificate is a link to nothing', (ca) => linkFile(ca, 'ca.crt').then((real) => rm(real)), /cannot be read/],
  [
    'the key is a link to a folder',
    async (ca) => {
      await rm(`${ca}/ca.key`)
      await symlink('.', `${ca}/ca.key`)
    },
    /is not a file/,
  ],
  [
    'others can read the key behind a link',
    async (ca) => chmod(await linkFile(ca, 'ca.key'), 0o644),
    /chmod 600 on it, or mount it with mode 0400/,
  ],
  [
    'others can replace the key behind a link',
    async (ca) => chmod(dirname(await linkFile(ca, 'ca.key')), 0o777),
    /others can replace files/,
  ],
  [
    'others can replace the certificate behind a link',
    async (ca) => chmod(dirname(await linkFile(ca, 'ca.crt')), 0o770),
    /others can replace files/,
  ],
  [
    'others can replace the links',
    async (ca) => {
      await linkFile(ca, 'ca.key')
      await chmod(ca, 0o777)
    },
    /others can replace files/,
  ],
])('is refused, and stays as it is, when %s', async (_name, damage, expected) => {
  await using dir = await tempDir()
  await open(dir.join('ca'))
  await damage(dir.join('ca'))
  const before = await snapshot(dir)
  await expect(open(dir.join('ca'))).rejects.toThrow(expected)
  await expect(open(dir.join('ca'))).rejects.toMatchObject({ code: 'mitm_authority_unusable' })
  expect(await snapshot(dir)).toEqual(before)
})

it.each<[string, (ca: string) => Promise<unknown>]>([
  ['the folder is a link', (ca) => rename(ca, `${ca}-real`).then(() => symlink('ca-real', ca))],
  [
    'the folder is a link to one that others can enter',
    async (ca) => {
      await rename(ca, `${ca}-real`)
      await chmod(`${ca}-real`, 0o755)
      await symlink(`${ca}-real`, ca)
    },
  ],
  ['the key is a link', (ca) => linkFile(ca, 'ca.key')],
  ['the certificate is a link', (ca) => linkFile(ca, 'ca.crt')],
  [
    'both files are links into folders of a version, as mounted secrets are',
    async (ca) => {
      await mkdir(`${ca}/..version`)
      for (const name of ['ca.key', 'ca.crt']) {
        await rename(`${ca}/${name}`, `${ca}/..version/${name}`)
        await symlink(`..data/${name}`, `${ca}/${name}`)
      }
      await symlink('..version', `${ca}/..data`)
      await chmod(`${ca}/..version/ca.key`, 0o400)
      await chmod(`${ca}/..version`, 0o755)
      await chmod(ca, 0o1777)
    },
  ],
  [
    'a link leads to a link',
    async (ca) => {
      await linkFile(ca, 'ca.key')
      await rename(ca, `${ca}-real`)
      await symlink('ca-real', `${ca}-next`)
      await symlink('ca-next', ca)
    },
  ],
])('is read, and stays as it is, when %s', async (_name, change) => {
  await using dir = await tempDir()
  const { fingerprint } = await open(dir.join('ca'))
  await change(dir.join('ca'))
  const before = await snapshot(dir)
  expect((await open(dir.join('ca'))).fingerprint).toBe(fingerprint)
  expect(await snapshot(dir)).toEqual(before)
})

it('fills an empty folder behind a link, which stays', async () => {
  await using dir = await tempDir()
  await mkdir(dir.join('real'))
  await symlink('real', dir.join('ca'))
  const { fingerprint } = await open(dir.join('ca'))
  expect((await readdir(dir.path)).sort()).toEqual(['ca', 'real'])
  expect((await lstat(dir.join('ca'))).isSymbolicLink()).toBe(true)
  expect((await open(dir.join('real'))).fingerprint).toBe(fingerprint)
})

it.skipIf(process.getuid?.() !== 0)('takes a provided key of another owner that its group can read', async () => {
  await using dir = await tempDir()
  await open(dir.join('ca'))
  const real = await linkFile(dir.join('ca'), 'ca.key')
  await chown(real, 1234, 1234)
  await chmod(real, 0o440)
  await open(dir.join('ca'))
  await chmod(real, 0o444)
  await expect(open(dir.join('ca'))).rejects.toThrow(/others can read/)
})

it('refuses a folder with other files', async () => {
  await using dir = await tempDir()
  await mkdir(dir.join('ca'))
  await writeFile(dir.join('ca', 'notes.txt'), 'mine')
  await expect(open(dir.join('ca'))).rejects.toThrow(/holds other files/)
  expect(await readdir(dir.path)).toEqual(['ca'])
})

it('refuses a file in place of the folder', async () => {
  await using dir = await tempDir()
  await writeFile(dir.join('ca'), 'mine')
  await expect(open(dir.join('ca'))).rejects.toThrow(/not a folder/)
  await expect(open(dir.join('ca', 'below'))).rejects.toMatchObject({ code: 'mitm_authority_unusable' })
})

it('a kill at any step leaves no authority or a whole one, and the next start has one that stays', async () => {
  await using dir = await tempDir()
  const tryStep = async (step: number): Promise<boolean> => {
    const ca = dir.join(`step-${step}`, 'ca')
    await mkdir(dir.join(`step-${step}`))
    const { signal, output } = await finish(openAndDie(ca, step))
    const left = await readFile(`${ca}/ca.crt`, 'utf8').catch(() => undefined)
    const next = await open(ca)
    if (left !== undefined) expect(next.certificate).toBe(left)
    if (signal === null) expect(next.fingerprint).toBe(output)
    expect([step, await readdir(dir.join(`step-${step}`))]).toEqual([step, ['ca']])
    expect((await open(ca)).fingerprint).toBe(next.fingerprint)
    return signal === null
  }
  let done = 0
  for (let isDone = false; !isDone; ) {
    const batch = Array.from({ length: 4 }, (_, index) => done + index + 1)
    isDone = (await Promise.all(batch.map(tryStep))).some((isWhole) => isWhole)
    done += batch.length
  }
  // Making, flushing and reading take more steps than these.
  expect(done).toBeGreaterThan(15)
})

it('processes that start at once agree on one authority', async () => {
  await using dir = await tempDir()
  const NEVER = 1_000_000
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => finish(openAndDie(dir.join('ca'), NEVER))))
  const { fingerprint } = await open(dir.join('ca'))
  expect(outcomes.map(({ output }) => output)).toEqual(outcomes.map(() => fingerprint))
  expect(await readdir(dir.path)).toEqual(['ca'])
})

it('reads while another process makes the folder find nothing, or all of it', async () => {
  await using dir = await tempDir()
  const pair = { certificate: 'certificate', key: 'key' }
  for (let round = 0; round < 50; round += 1) {
    const store = createCaFolder(dir.join(`ca${round}`))
    let isMade = false
    const making = store.create(pair).finally(() => {
      isMade = true
    })
    while (!isMade)
      for (const found of await Promise.all([store.read(), store.read()]))
        expect([undefined, pair]).toContainEqual(found)
    await making
    expect(await store.read()).toEqual(pair)
  }
})

it('openings at once in one process agree too', async () => {
  await using dir = await tempDir()
  const authorities = await Promise.all(Array.from({ length: 20 }, () => open(dir.join('ca'))))
  expect(new Set(authorities.map(({ fingerprint }) => fingerprint)).size).toBe(1)
  expect(await readdir(dir.path)).toEqual(['ca'])
})
