// Removes what packages bring for other systems and for compilers: half of an installation. `npm start` and the image use
// it. Everything that this machine can load stays. `node scripts/prune-install.mjs FOLDER` does it for one folder.
import { readdirSync, rmSync } from 'node:fs'
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

/**
 * Lists what is of no use on a machine in the store of pnpm.
 *
 * @param {string} store `node_modules/.pnpm`
 * @param {{ readonly platform: string, readonly arch: string }} machine as `process` names them
 * @returns {string[]} paths of files and folders
 */
export function listUseless(store, { platform, arch }) {
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
    // builds of llama.cpp, which say that they run on more processors than they do
    const build = /^@node-llama-cpp\+(linux|mac|win)-([^-@]+)/.exec(entry)
    const system = { linux: 'linux', darwin: 'mac', win32: 'win' }[platform]
    const processor = arch === 'arm' ? 'armv7l' : arch
    return build !== null && (build[1] !== system || build[2] !== processor) ? [join(store, entry)] : []
  })
}

/** @param {string} folder the one that holds `node_modules` */
export function pruneInstall(folder) {
  for (const path of listUseless(join(folder, 'node_modules', '.pnpm'), process)) {
    rmSync(path, { recursive: true, force: true })
  }
}

const [, program, folder] = process.argv
if (program !== undefined && import.meta.url === pathToFileURL(program).href && folder !== undefined) {
  pruneInstall(folder)
}
