// The checks of a published package: publint (strict) and, for packages with types, are-the-types-wrong (ESM only),
// both on its packed tarball, and its README: each TypeScript block compiles as a module of a strict user. A program
// has no types.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const run = (command, args) => execFileSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })

/** Below the package, as a module of its user: it finds the package by its name, and its dependencies. */
const README_FOLDER = '.readme-check'

const STRICT = {
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noEmit: true,
  skipLibCheck: true,
}

function checkTarball() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pack-'))
  try {
    run('pnpm', ['pack', '--pack-destination', folder])
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    if (!tarball) throw new Error('pnpm pack made no tarball')
    const path = join(folder, tarball)
    console.log(run('publint', ['run', path, '--strict']))
    if (hasTypes) console.log(run('attw', [path, '--profile', 'esm-only', '--no-color', '--no-emoji']))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function checkReadme() {
  const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
  if (blocks.length === 0) throw new Error('README.md shows no example in TypeScript')
  try {
    mkdirSync(README_FOLDER)
    const files = blocks.map((block, index) => {
      const file = `block-${index + 1}.mts`
      writeFileSync(join(README_FOLDER, file), block)
      return file
    })
    writeFileSync(join(README_FOLDER, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, files }))
    console.log(run(process.execPath, [join(root, 'node_modules/tsgo/bin/tsc'), '-p', README_FOLDER]))
  } finally {
    rmSync(README_FOLDER, { recursive: true, force: true })
  }
}

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const hasTypes = Object.values(exports).some(({ types }) => types !== undefined)
try {
  checkTarball()
  if (hasTypes) checkReadme()
} catch (error) {
  if (error.stdout) console.error(error.stdout)
  console.error(error.message)
  process.exitCode = 1
}
