// Removes the parts of packages that are for other systems, for compilers and for debuggers: more than half of an
// installation. `npm start` and the image use it. Everything that this machine can load stays.
// `node scripts/prune-install.mjs FOLDER` does it for one folder.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Types and source maps: compilers, editors and debuggers read them. */
const FOR_TOOLS = /\.(?:d\.[cm]?ts|map)$/

/**
 * Lists the files for tools below a folder.
 *
 * @param {string} folder
 * @returns {string[]}
 */
function listForTools(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listForTools(path)
    return entry.isFile() && FOR_TOOLS.test(entry.name) ? [path] : []
  })
}

/** @returns {boolean} whether this system has musl as its C library, as Alpine has */
function hasMusl() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined
}

/**
 * Lists the parts of packages in the store of pnpm that a machine does not use.
 *
 * @param {string} store `node_modules/.pnpm`
 * @param {{ readonly platform: string, readonly arch: string, readonly musl?: boolean }} machine as `process` names them
 * @returns {string[]} paths of files and folders
 */
export function listUseless(store, { platform, arch, musl = false }) {
  return list(store).flatMap((entry) => {
    const own = (/** @type {string} */ name, /** @type {string[]} */ ...parts) =>
      join(store, entry, 'node_modules', name, ...parts)
    // builds of ONNX Runtime: bin/napi-v6/linux/x64
    if (entry.startsWith('onnxruntime-node@')) {
      const systems = list(own('onnxruntime-node', 'bin')).flatMap((version) =>
        list(own('onnxruntime-node', 'bin', version)).map((system) => [version, system]),
      )
      return systems.flatMap(([version = '', system = '']) => {
        const folder = own('onnxruntime-node', 'bin', version, system)
        if (system !== platform) return [folder]
        return list(folder)
          .filter((name) => name !== arch)
          .map((name) => join(folder, name))
      })
    }
    // builds of SQLite: prebuilds/linux-x64.node, prebuilds/linuxmusl-x64.node
    if (entry.startsWith('better-sqlite3@')) {
      const fitting = new RegExp(`^${platform}(musl)?-${arch}\\.node$`)
      const builds = list(own('better-sqlite3', 'prebuilds'))
      const others = builds
        .filter((name) => !fitting.test(name))
        .map((name) => own('better-sqlite3', 'prebuilds', name))
      const needsSources = others.length === builds.length
      return [...others, ...(needsSources ? [] : [own('better-sqlite3', 'deps'), own('better-sqlite3', 'src')])]
    }
    // the source of llama.cpp, for compilers
    if (entry.startsWith('node-llama-cpp@')) return [own('node-llama-cpp', 'llama', 'gitRelease.bundle')]
    // builds of libsql for the other C library, which do not say so
    const libsql = /^@libsql\+linux-[^-]+-(gnu|musl)/.exec(entry)
    if (libsql !== null) return (libsql[1] === 'musl') === musl ? [] : [join(store, entry)]
    // builds of llama.cpp, which say that they run on more processors than they do
    const build = /^@node-llama-cpp\+(linux|mac|win)-([^-@]+)/.exec(entry)
    const system = { linux: 'linux', darwin: 'mac', win32: 'win' }[platform]
    const processor = arch === 'arm' ? 'armv7l' : arch
    return build !== null && (build[1] !== system || build[2] !== processor) ? [join(store, entry)] : []
  })
}

/** @param {string} folder the one that holds `node_modules` */
export function pruneInstall(folder) {
  const store = join(folder, 'node_modules', '.pnpm')
  const { platform, arch } = process
  for (const path of listUseless(store, { platform, arch, musl: hasMusl() })) {
    rmSync(path, { recursive: true, force: true })
  }
  if (!existsSync(store)) return
  for (const path of listForTools(store)) rmSync(path)
}

const [, program, folder] = process.argv
if (program !== undefined && import.meta.url === pathToFileURL(program).href && folder !== undefined) {
  pruneInstall(folder)
}
