import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A package and its workspace dependencies, packed and installed as a user has them. */
export interface PackedInstall extends AsyncDisposable {
  /** The folder whose `node_modules` holds them. */
  readonly folder: string
  /** Puts a snippet beside them; plain `node` runs it. */
  write(name: string, code: string): string
}

/** Whether a workspace package and everything it depends on in the workspace is built from its present sources. */
export function isBuilt(packageFolder: string): boolean {
  return withDependencies(packageFolder).every((name) => {
    const built = join(root, name, 'dist/index.js')
    return existsSync(built) && statSync(built).mtimeMs >= newest(join(root, name, 'src'))
  })
}

/**
 * Packs a workspace package (such as `packages/backend-kit`) with everything it depends on in the workspace, and
 * installs the tarballs in an empty folder. They have to be built.
 */
export async function installPacked(packageFolder: string): Promise<PackedInstall> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-packed-'))
  const tarballs = join(folder, 'tarballs')
  mkdirSync(tarballs)
  const env = { ...process.env, PATH: [join(root, '.tools/node_modules/.bin'), process.env.PATH].join(delimiter) }
  try {
    for (const name of withDependencies(packageFolder)) {
      await run('pnpm', ['pack', '--pack-destination', tarballs], { cwd: join(root, name), env })
    }
    const files = readdirSync(tarballs).map((name) => join(tarballs, name))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
    await run('npm', ['install', ...quiet, ...files], { cwd: folder, env: withoutNpmSettings(env) })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    folder,
    write(name, code) {
      writeFileSync(join(folder, name), code)
      return join(folder, name)
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The code blocks of a README that are marked `ts`. */
export function readmeSnippets(packageFolder: string): string[] {
  const text = readFileSync(join(root, packageFolder, 'README.md'), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
}

/** Folders of a package and of its workspace dependencies, each once. */
function withDependencies(packageFolder: string): string[] {
  const found = new Set<string>()
  const visit = (folder: string) => {
    if (found.has(folder)) return
    found.add(folder)
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    for (const [name, range] of Object.entries(dependencies)) {
      if (range.startsWith('workspace:')) visit(`packages/${name.replace('@svc/', '')}`)
    }
  }
  visit(packageFolder)
  return [...found]
}

function newest(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !name.endsWith('.test.ts'))
  return Math.max(...names.filter((name) => name.endsWith('.ts')).map((name) => statSync(join(folder, name)).mtimeMs))
}

/** Settings that an outer npm or pnpm run hands its scripts describe that run. */
function withoutNpmSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(env).filter(([name]) => !/^npm_(lifecycle|package)_|^NODE_OPTIONS$/i.test(name))
  return Object.fromEntries(entries)
}
