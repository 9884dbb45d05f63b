import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { childEnvironment } from './child-environment.mjs'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Manifest {
  readonly name: string
  readonly description?: string
  readonly private?: boolean
  readonly keywords?: readonly string[]
  readonly homepage?: string
  readonly bugs?: { readonly url: string }
  readonly files?: readonly string[]
  readonly scripts?: Readonly<Record<string, string>>
  readonly publishConfig?: { readonly provenance?: boolean }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, { readonly default?: string } | string>>
}

const folders = ['packages', 'apps', 'apps/backends', 'examples']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
  .concat('bench')
  .filter((folder) => existsSync(join(root, folder, 'package.json')))
const manifests = new Map(folders.map((folder) => [folder, JSON.parse(read(`${folder}/package.json`)) as Manifest]))
const folderByName = new Map([...manifests].map(([folder, { name }]) => [name, folder]))

describe('the workspace', () => {
  it('refers in each tsconfig to exactly its workspace dependencies', () => {
    for (const [folder, manifest] of manifests) {
      const { references } = JSON.parse(read(`${folder}/tsconfig.json`)) as { references: { path: string }[] }
      const wanted = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
        .flatMap((name) => folderByName.get(name) ?? [])
        .map((target) => relative(folder, target))
      // the browser tests start the built server with the server's own test support
      if (folder === 'apps/web') wanted.push('../server')
      // the simulation of a cluster decides with the server's own functions
      if (folder === 'bench') wanted.push('../apps/server')
      expect(references.map(({ path }) => path).sort(), folder).toEqual(wanted.sort())
    }
  })

  it('names packages and the size of their change at the head of each changeset', () => {
    const files = readdirSync(join(root, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md')
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const [, head = ''] = /^---\n([\s\S]*?)\n---\n\n\S/.exec(read(`.changeset/${file}`)) ?? []
      const lines = head.split('\n').filter((line) => line !== '')
      expect(lines.length, file).toBeGreaterThan(0)
      for (const line of lines) {
        const [, name = ''] = /^'([^']+)': (?:major|minor|patch)$/.exec(line) ?? []
        expect([...folderByName.keys()], `${file}: ${line}`).toContain(name)
      }
    }
  })

  it('packs each library with its types, whoever packs it and whenever', async () => {
    const typed = [...manifests].filter(([, { scripts }]) => scripts?.types !== undefined)
    expect(typed.length).toBeGreaterThan(15)
    for (const [folder, { scripts }] of typed) expect(scripts?.prepack, folder).toBe('node ../../scripts/prepack.mjs')
    const folder = join(root, 'packages/errors')
    const target = await mkdtemp(join(tmpdir(), 'svc-prepack-'))
    try {
      await rm(join(folder, 'dist/index.d.ts'), { force: true })
      // the build itself is not made again: other tests read it
      await utimes(join(folder, 'dist/index.js'), new Date(), new Date())
      await run('pnpm', ['pack', '--pack-destination', target], {
        cwd: folder,
        env: childEnvironment(join(root, '.tools')),
      })
      const [tarball = ''] = readdirSync(target)
      const { stdout } = await run('tar', ['-tzf', join(target, tarball)])
      expect(stdout.split('\n')).toEqual(expect.arrayContaining(['package/dist/index.js', 'package/dist/index.d.ts']))
    } finally {
      await rm(target, { recursive: true, force: true })
    }
  })

  it('builds every project from the root tsconfig', () => {
    const { references } = JSON.parse(read('tsconfig.json')) as { references: { path: string }[] }
    expect(references.map(({ path }) => path).sort()).toEqual([...folders].sort())
  })

  it('has a lock file without addresses, for the platforms it says', () => {
    const lock = read('pnpm-lock.yaml')
    expect(lock).not.toMatch(/tarball:|https?:\/\//)
    const platforms = new Set([...lock.matchAll(/'@esbuild\/([a-z0-9]+-[a-z0-9]+)@/g)].map(([, platform]) => platform))
    for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'])
      expect(platforms).toContain(platform)
    const engine = new Set([...lock.matchAll(/'@node-llama-cpp\/([a-z0-9-]+)@/g)].map(([, platform]) => platform))
    expect([...engine]).toEqual(expect.arrayContaining(['linux-x64', 'linux-arm64']))
    // its install script, which would fetch builds for graphics cards, is the only user of these
    expect(lock).toContain('\n  onnxruntime-node@')
    expect(lock).not.toMatch(/\n {2}(adm-zip|global-agent)@/)
  })

  it('loads every built entry with no export conditions', async () => {
    const entries = [...manifests]
      .filter(([folder]) => folder.startsWith('packages/'))
      .flatMap(([folder, { exports = {} }]) =>
        Object.values(exports).flatMap((entry) =>
          typeof entry === 'object' && entry.default !== undefined ? [join(root, folder, entry.default)] : [],
        ),
      )
    expect(entries.length).toBeGreaterThan(5)
    const program = `for (const entry of ${JSON.stringify(entries.map((entry) => pathToFileURL(entry).href))}) await import(entry)`
    const { stderr } = await run(process.execPath, ['--input-type=module', '-e', program])
    expect(stderr).toBe('')
  })
})

describe('a package that is published', () => {
  const published = [...manifests].filter(([, manifest]) => manifest.private !== true)

  it.each(published)('%s has a description, a repository, and the publish check', (folder, manifest) => {
    expect(manifest.description).toMatch(/\.$/)
    expect(manifest.keywords?.length).toBeGreaterThan(2)
    expect(manifest.homepage).toBe(`https://github.com/svc-project/svc/tree/main/${folder}#readme`)
    expect(manifest.bugs?.url).toBe('https://github.com/svc-project/svc/issues')
    expect(manifest.publishConfig?.provenance).toBe(true)
    expect(manifest.scripts?.['check:publish']).toMatch(/check-publish\.mjs$/)
    // a program is one bundle without maps: its sources would be a copy that nothing reads
    const sources = folder.startsWith('apps/')
      ? ['!dist/**/*.map']
      : ['src', '!src/**/*.test.ts', '!src/**/__fixtures__']
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', ...sources]))
    if (folder.startsWith('apps/')) expect(manifest.files).not.toContain('src')
    expect(existsSync(join(root, folder, 'README.md'))).toBe(true)
  })

  it.each(published)('%s is named in the README', (folder, { name }) => {
    const readme = read('README.md')
    expect(readme).toContain(`\`${name}\``)
    if (folder.startsWith('packages/')) expect(readme).toContain(`](${folder})`)
  })

  it('brings no analytics script along, and private ones get no version of a release', () => {
    expect(read('pnpm-lock.yaml')).not.toMatch(/^ {2}'@scarf/m)
    expect(JSON.parse(read('.changeset/config.json'))).toMatchObject({
      privatePackages: { version: false, tag: false },
    })
  })

  it('is released only after the tests, by actions pinned to a commit but for one', () => {
    const release = read('.github/workflows/release.yml')
    expect(release).toMatch(/needs: test/)
    expect(release).toContain('uses: ./.github/workflows/ci.yml')
    const used = [...`${release}${read('.github/workflows/ci.yml')}`.matchAll(/uses: ([^./]\S*)/g)].map(
      ([, use = '']) => use,
    )
    expect(used.filter((use) => !/@[0-9a-f]{40}$/.test(use))).toEqual(['changesets/action@v1'])
  })
})

describe('the pages', () => {
  it('link to files that are there', async () => {
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: root })
    const pages = stdout
      .trim()
      .split('\n')
      .filter((page) => existsSync(join(root, page)))
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !existsSync(join(root, dirname(page), link)))
        .map((link) => `${page}: ${link}`),
    )
    expect(pages.length).toBeGreaterThan(30)
    expect(broken).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  it('draws exactly the arrows that the packages declare', () => {
    const picture = /```mermaid\nflowchart RL\n([\s\S]*?)```/.exec(read('ARCHITECTURE.md'))?.[1] ?? ''
    const labels = new Map(
      [...picture.matchAll(/^\s*(\w+)\["([^"]+)"\]/gm)].map(([, id = '', label = '']) => [id, label]),
    )
    const toName = (id: string): string => {
      const label = labels.get(id) ?? id
      if (label.startsWith('@svc/')) return label
      return label === 'apps/server' ? '@svc/server' : `@svc/backend-${label.split(' ')[0]}`
    }
    const isBackend = (name: string): boolean => folderByName.get(name)?.startsWith('apps/backends/') === true
    const drawn = [...picture.matchAll(/^\s*(\w+) --> (\w+)$/gm)].map(
      ([, from = '', to = '']) => `${toName(from)} -> ${toName(to)}`,
    )
    const declared = [...manifests.values()]
      .filter(({ name }) => name === '@svc/server' || [...labels.values()].includes(name) || isBackend(name))
      .flatMap(({ name, dependencies = {} }) =>
        Object.keys(dependencies)
          .filter((target) => folderByName.has(target))
          .map((target) => `${name} -> ${target}`),
      )
      // started as a program, never imported
      .filter((arrow) => !(arrow.startsWith('@svc/server -> ') && isBackend(arrow.slice('@svc/server -> '.length))))
    expect(drawn.sort()).toEqual(declared.sort())
  })
})
