import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { EsbuildPlugin } from '../../../tsup.program.ts'

/** The folder below `dist` that holds the files of the engine that it reads or starts, at their places. */
const PLACE = 'node-llama-cpp'
/** Starts as a process of its own, to see whether a build runs on this machine; the engine insists on the file's name. */
const PROBE = 'dist/bindings/utils/testBindingBinary.js'
const DATA = ['llama/binariesGithubRelease.json', 'llama/llama.cpp.info.json']
/** Packages that download models and sources, which this backend never does; one of them has native parts. */
const UNUSED = /^(?:ipull|simple-git)$/
/** The module that imports the builds. */
const LOADER = 'compileLLamaCpp.js'
const BUILD_IMPORT = /import\("(@node-llama-cpp\/[^"]+)"\)/g

/**
 * Takes node-llama-cpp into the bundle: its manifest makes npm install the builds for graphics cards, 640 MB. Its modules
 * find its files by their own place, so in the bundle each module has its place below {@link PLACE}. Its builds are
 * imported through `importBuild`.
 */
export function bundleEngine(): EsbuildPlugin {
  const folder = realpathSync('node_modules/node-llama-cpp')
  return {
    name: 'engine',
    setup(build) {
      takeModules(build, folder, '.')
      build.onEnd(async () => {
        const to = join(build.initialOptions.outdir ?? 'dist', PLACE)
        copyData(folder, to)
        const probe = join(to, PROBE)
        const up = relative(dirname(probe), dirname(to)).replaceAll('\\', '/')
        await build.esbuild.build({
          entryPoints: [join(folder, PROBE)],
          outfile: probe,
          bundle: true,
          platform: 'node',
          format: 'esm',
          target: 'node20',
          banner: build.initialOptions.banner ?? {},
          plugins: [{ name: 'engine', setup: (inner) => takeModules(inner, folder, up) }],
        })
      })
    },
  }
}

/** @param root path from the bundle's files to `dist` */
function takeModules(build: Parameters<EsbuildPlugin['setup']>[0], folder: string, root: string): void {
  // imported only inside of Electron
  build.onResolve({ filter: /^electron$/ }, () => ({ path: 'electron', external: true }))
  build.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }))
  build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  const { version } = readManifest(folder)
  build.onLoad({ filter: /[/\\]node-llama-cpp[/\\]dist[/\\].*\.js$/, namespace: 'file' }, ({ path }) => {
    const place = `${root}/${PLACE}/${relative(folder, path).replaceAll('\\', '/')}`
    const text = readFileSync(path, 'utf8').replaceAll(
      'import.meta.url',
      `new URL(${JSON.stringify(place)}, import.meta.url).href`,
    )
    if (path.endsWith(LOADER) && text.search(BUILD_IMPORT) < 0)
      throw new Error(`${path} imports its builds in another way`)
    const redirected = text.replaceAll(BUILD_IMPORT, `importBuild("$1", ${JSON.stringify(version)})`)
    if (redirected === text) return { contents: text }
    const from = JSON.stringify(resolve('src/engine/import-build.ts'))
    return { contents: `import { importBuild } from ${from}\n${redirected}` }
  })
}

function copyData(folder: string, to: string): void {
  for (const file of DATA) cpSync(join(folder, file), join(to, file))
  const { name, version, license } = readManifest(folder)
  mkdirSync(to, { recursive: true })
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ name, version, license, type: 'module' }, null, 2)}\n`)
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
}
