// Writes all generated and committed files. `pnpm gen` runs all generators, `pnpm gen protos` the named ones; `--out
// FOLDER` writes below another folder than the repository. A generator is deterministic: running it twice leaves no
// diff, on any machine.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(join(root, 'package.json'))

/**
 * A generator fills the folder it is given; its content then replaces that of `folder` in the repository, or, with
 * `shared`, only the files of the same name.
 *
 * @type {Record<string, { folder: string, shared?: boolean, generate: (out: string) => void | Promise<void> }>}
 */
const GENERATORS = {
  /** Messages and service definitions of the backend contract. */
  protos: { folder: 'packages/backend-client/src/gen', generate: generateProtos },
  /** The WebAssembly module of the vector index. */
  kernel: { folder: 'packages/router/src/vector/gen', generate: generateKernel },
  /** Pages made from the sections of flags, the keys of model files and the manifest of requirements. */
  pages: { folder: 'docs', shared: true, generate: generatePages },
  /** The table of stages. */
  stages: { folder: '.', shared: true, generate: (out) => generateTable('stages', 'ARCHITECTURE.md', out) },
  /** The table of the times in a trace. */
  phases: {
    folder: 'docs/monitoring',
    shared: true,
    generate: (out) => generateTable('phases', 'docs/monitoring/README.md', out),
  },
  /** Types of the requests and replies of the server, and its stages, for the web interface. */
  web: { folder: 'apps/web/src/lib', shared: true, generate: generateWebModules },
}

const TS_PROTO_OPTIONS = [
  'outputServices=generic-definitions',
  'env=node',
  'esModuleInterop=true',
  'importSuffix=.ts',
  'useExactTypes=false',
  'enumsAsLiterals=true', // enums are not erasable syntax
  'forceLong=bigint', // a number is unfit above 2^53
  'outputJsonMethods=false',
  'outputClientImpl=false',
  'unrecognizedEnum=false', // its -1 is the number of StatusResponse.State.ERROR
  'annotateFilesWithVersion=false',
]

/** @param {string} out */
function generateProtos(out) {
  const plugin = join(dirname(require.resolve('ts-proto/package.json')), 'protoc-gen-ts_proto')
  const protoc = join(dirname(require.resolve('protoc/package.json')), 'protoc.cjs')
  const args = [
    `--proto_path=${join(root, 'protos')}`,
    `--plugin=protoc-gen-ts_proto=${plugin}`,
    `--ts_proto_out=${out}`,
    `--ts_proto_opt=${TS_PROTO_OPTIONS.join(',')}`,
    'backend.proto',
    'extensions.proto',
  ]
  execFileSync(process.execPath, [protoc, ...args], { cwd: root, stdio: 'inherit' })
}

/** @param {string} out */
function generateKernel(out) {
  const script = join(root, 'packages/router/kernel/build-kernel.mjs')
  const stdio = ['ignore', 'pipe', 'inherit']
  writeFileSync(join(out, 'kernel-bytes.ts'), execFileSync(process.execPath, [script], { cwd: root, stdio }))
}

/** Each page by the script that prints it. */
const PAGES = {
  'configuration.md': 'apps/server/src/config/print-docs.ts',
  'model.schema.json': 'apps/server/src/catalog/keys/print-schema.ts',
  'behaviour.md': 'apps/server/test/spec/print-behaviour.ts',
}

/** @param {string} out */
function generatePages(out) {
  for (const [page, script] of Object.entries(PAGES)) {
    const args = ['--conditions=@svc/source', '--import', 'tsx', join(root, script)]
    writeFileSync(
      join(out, page),
      execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] }),
    )
  }
}

/**
 * Copies a page with a new table between `<!-- name -->` and `<!-- /name -->`.
 *
 * @param {'stages' | 'phases'} name @param {string} page @param {string} out
 */
function generateTable(name, page, out) {
  const text = readFileSync(join(root, page), 'utf8')
  const [before, after] = text.split(new RegExp(`(?<=<!-- ${name} -->\n)[^]*?(?=<!-- /${name} -->)`))
  if (after === undefined) throw new Error(`${page} has no place for the table ${name}`)
  writeFileSync(join(out, basename(page)), `${before}\n${printStages()[name]}\n\n${after}`)
}

/** @returns {Record<'stages' | 'phases' | 'web', string>} */
function printStages() {
  const script = join(root, 'apps/server/src/inference/core/print-stages.ts')
  const args = ['--conditions=@svc/source', '--import', 'tsx', script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }))
}

/** @param {string} out */
function generateWebModules(out) {
  writeFileSync(join(out, 'stages.gen.ts'), printStages().web)
  const main = join(root, 'apps/server/src/main.ts')
  const print = ['--conditions=@svc/source', '--import', 'tsx', main, 'openapi', '--distributed']
  const options = { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 * 1024 * 1024 }
  const folder = mkdtempSync(join(tmpdir(), 'svc-gen-'))
  try {
    const document = join(folder, 'openapi.json')
    writeFileSync(document, execFileSync(process.execPath, print, options))
    const web = createRequire(join(root, 'apps/web/package.json'))
    const cli = join(dirname(web.resolve('openapi-typescript/package.json')), 'bin/cli.js')
    execFileSync(process.execPath, [cli, document, '--output', join(out, 'schema.gen.ts')], {
      ...options,
      stdio: 'ignore',
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Copies the content of `from` to `to`; leaves correct files untouched, and with `shared` other files too.
 *
 * @param {string} from @param {string} to @param {boolean} shared
 */
function replaceContent(from, to, shared) {
  mkdirSync(to, { recursive: true })
  const names = readdirSync(from)
  for (const name of shared ? [] : readdirSync(to)) {
    if (!names.includes(name)) rmSync(join(to, name), { recursive: true })
  }
  for (const name of names) {
    const content = readFileSync(join(from, name))
    const file = join(to, name)
    if (!existsSync(file) || !readFileSync(file).equals(content)) writeFileSync(file, content)
  }
}

const { values, positionals: asked } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true })
const unknown = asked.filter((name) => !(name in GENERATORS))
if (unknown.length > 0) {
  console.error(`unknown generator: ${unknown.join(', ')}; there are: ${Object.keys(GENERATORS).join(', ')}`)
  process.exit(2)
}
for (const [name, { folder, shared = false, generate }] of Object.entries(GENERATORS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const made = mkdtempSync(join(tmpdir(), 'svc-gen-'))
  try {
    await generate(made)
    replaceContent(made, join(resolve(values.out ?? root), folder), shared)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  console.log(`gen ${name}`)
}
