import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly files?: readonly string[]
}

it('`changeset version` gives every published package a version and a changelog that its tarball carries', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'svc-release-'))
  onTestFinished(() => rm(copy, { recursive: true }))
  const inCopy = (path: string): string => join(copy, path)
  const { stdout } = await run(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'package.json', '*/package.json', '*CHANGELOG.md', '.changeset'],
    { cwd: root },
  )
  const listed = stdout
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(root, file)))
  for (const file of [...listed, 'pnpm-workspace.yaml', 'pnpm-lock.yaml']) {
    await mkdir(dirname(inCopy(file)), { recursive: true })
    await cp(join(root, file), inCopy(file))
  }
  await symlink(join(root, 'node_modules'), inCopy('node_modules'))
  await run(join(root, 'node_modules/.bin/changeset'), ['version'], { cwd: copy })
  const manifests = listed.filter((file) => /^(packages|apps)\/.*package\.json$/.test(file))
  let published = 0
  for (const file of manifests) {
    const { name, version, files = [], private: isPrivate } = JSON.parse(readFileSync(inCopy(file), 'utf8')) as Manifest
    if (isPrivate === true) continue
    published += 1
    expect(files, name).toContain('CHANGELOG.md')
    expect(existsSync(join(root, dirname(file), 'CHANGELOG.md')), `${name} has a CHANGELOG.md`).toBe(true)
    const changelog = readFileSync(inCopy(join(dirname(file), 'CHANGELOG.md')), 'utf8')
    expect(changelog, name).toMatch(new RegExp(`^# ${name}\\n\\n## ${version}\\n`))
    expect(version, name).not.toBe('0.0.0')
  }
  expect(published).toBeGreaterThan(20)
})
