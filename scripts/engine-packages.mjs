// The packages of native engines for single platforms, which a published backend names in `svc.builds` and which are not
// in the workspace. Upstream has one package with the builds for every system (ONNX Runtime), or packages that claim to
// run on more processors than they do (llama.cpp for ARM).
// `node scripts/engine-packages.mjs FOLDER` makes them in a folder. `--publish` then publishes the ones that are new.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @typedef {{ readonly name: string, readonly version: string, readonly folder: string }} EnginePackage */

/** @type {(...parts: string[]) => any} */
const readJson = (...parts) => JSON.parse(readFileSync(join(...parts), 'utf8'))

/** Versions of llama.cpp's packages are named after the system in their own words. */
const LLAMA_PROCESSORS = { arm64: 'arm64', armv7l: 'arm' }

/**
 * Lists the packages that the backends name in `svc.builds` and that are ours.
 *
 * @returns {{ readonly name: string, readonly engine: string, readonly version: string, readonly installed: string }[]}
 */
export function listEnginePackages() {
  return ['llama', 'onnx'].flatMap((backend) => {
    const folder = join(root, 'apps/backends', backend)
    return Object.entries(readJson(folder, 'package.json').svc.builds).flatMap(([engine, names]) => {
      const installed = realpathSync(join(folder, 'node_modules', engine))
      const { version } = readJson(installed, 'package.json')
      return names
        .filter((/** @type {string} */ name) => name.startsWith('@svc/'))
        .map((/** @type {string} */ name) => ({ name, engine, version, installed }))
    })
  })
}

/**
 * The manifest of a package.
 *
 * @param {{ readonly name: string, readonly engine: string, readonly version: string }} engine
 * @returns {Record<string, unknown>}
 */
export function describePackage({ name, engine, version }) {
  const [, kind = '', os = '', word = ''] = /^@svc\/(\w+)-(\w+)-(\w+)$/.exec(name) ?? []
  const shared = {
    name,
    version,
    description: `${engine} for ${os}-${word}, for the backends of svc.`,
    license: 'MIT',
    repository: { type: 'git', url: 'git+https://github.com/svc-project/svc.git' },
    os: [os],
    ...(os === 'linux' ? { libc: ['glibc'] } : {}),
    publishConfig: { access: 'public', provenance: true },
  }
  if (kind === 'onnxruntime') return { ...shared, cpu: [word], main: './onnxruntime_binding.node' }
  return {
    ...shared,
    cpu: [LLAMA_PROCESSORS[/** @type {keyof typeof LLAMA_PROCESSORS} */ (word)]],
    type: 'module',
    exports: './index.js',
    dependencies: { [`@node-llama-cpp/${os}-${word}`]: version },
  }
}

/**
 * Makes packages, each in its own folder.
 *
 * @param {string} target
 * @param {(name: string) => boolean} isWanted
 * @returns {EnginePackage[]}
 */
export function makeEnginePackages(target, isWanted = () => true) {
  return listEnginePackages()
    .filter(({ name }) => isWanted(name))
    .map((engine) => {
      const { name, version, installed } = engine
      const manifest = describePackage(engine)
      const folder = join(target, basename(name))
      mkdirSync(folder, { recursive: true })
      const write = (/** @type {string} */ file, /** @type {string} */ text) => writeFileSync(join(folder, file), text)
      write('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
      write('README.md', `# ${name}\n\n${manifest.description} Installed with them; nothing else uses it.\n`)
      if (manifest.main !== undefined) copyBuild(installed, { name, folder })
      for (const upstream of Object.keys(manifest.dependencies ?? {})) {
        write('index.js', `export * from '${upstream}'\n`)
        cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
      }
      return { name, version, folder }
    })
}

/**
 * Copies a build of ONNX Runtime and its licence.
 *
 * @param {string} installed the package with all builds
 * @param {{ readonly name: string, readonly folder: string }} to
 */
function copyBuild(installed, { name, folder }) {
  const [, os = '', cpu = ''] = /-(\w+)-(\w+)$/.exec(name) ?? []
  const from = join(installed, 'bin/napi-v6', os, cpu)
  // on macOS the same library is there under two names
  for (const file of readdirSync(from).filter((each) => !/\d\.\d+\.\d+\.dylib$/.test(each))) {
    cpSync(join(from, file), join(folder, file))
  }
  const text = readFileSync(join(root, 'scripts/licences/MIT.txt'), 'utf8')
  writeFileSync(join(folder, 'LICENSE'), `ONNX Runtime\n\nCopyright (c) Microsoft Corporation\n\n${text}`)
}

/**
 * Publishes the packages that the registry does not have in their version.
 *
 * @param {readonly EnginePackage[]} packages
 * @param {(...argv: string[]) => string} npm throws when the command fails
 * @returns {string[]} names and versions of the new ones
 */
export function publishNew(packages, npm) {
  return packages.flatMap(({ name, version, folder }) => {
    const id = `${name}@${version}`
    if (isPublished(id, npm)) return []
    npm('publish', folder, '--access', 'public', '--provenance')
    return [id]
  })
}

/** @type {(id: string, npm: (...argv: string[]) => string) => boolean} */
function isPublished(id, npm) {
  try {
    return npm('view', id, 'version').trim() !== ''
  } catch (error) {
    // any other failure does not concern the package
    if (/E404/.test(String(/** @type {{ stderr?: unknown }} */ (error).stderr))) return false
    throw error
  }
}

const [, program, folder, flag] = process.argv
if (program !== undefined && import.meta.url === pathToFileURL(program).href && folder !== undefined) {
  const packages = makeEnginePackages(folder)
  const npm = (/** @type {string[]} */ ...argv) =>
    execFileSync('npm', argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const made = packages.map(({ name, version }) => `${name}@${version}`)
  console.log((flag === '--publish' ? publishNew(packages, npm) : made).join('\n'))
}
